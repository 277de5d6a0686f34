// What the library says to runtimes of other interface versions. This program plays the runtime's part of the loading: it opens the library,
// calls GC_VersionInfo with a version and GC_Initialize with an interface whose every slot but one ends the test, since a runtime of
// another version may have anything there. The one is LogErrorToHost, which exists from version 1; before, the line goes to stderr.
//
// cc versions.c -ldl; arguments: the library. Each version is tried in a process of its own. Last line "N passed, N failed".
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSlots = 128, kLogErrorToHost = 49, kSupported = 4 };
struct VersionInfo { uint32_t major, minor, build; const char* name; };
typedef void (*VersionInfoFn)(struct VersionInfo*);
typedef int32_t (*InitializeFn)(void* runtime, void** heap, void** handles, void* dac);

static char said[4096];
static int lines;
static void log_error(void* self, const char* message) {
  (void)self;
  lines++;
  snprintf(said, sizeof said, "%s", message);
}
static void forbidden(void) {
  static const char text[] = "a slot of an interface of unknown version was called\n";
  if (write(2, text, sizeof text - 1)) {}
  _exit(3);
}

// One version, in a child whose stderr is a file. 0 when everything is as it should be.
static int attempt(const char* library, uint32_t major, uint32_t minor, int with_runtime) {
  FILE* errors = tmpfile();
  int before = dup(2);
  dup2(fileno(errors), 2);
  void* slots[kSlots];
  for (int i = 0; i < kSlots; i++) slots[i] = (void*)forbidden;
  slots[kLogErrorToHost] = (void*)log_error;
  if (major < 1) slots[kLogErrorToHost] = (void*)forbidden;
  void* object = slots;
  void* module = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) { dup2(before, 2); printf("  %s\n", dlerror()); return 1; }
  VersionInfoFn version_info = (VersionInfoFn)dlsym(module, "GC_VersionInfo");
  InitializeFn initialize = (InitializeFn)dlsym(module, "GC_Initialize");
  struct VersionInfo info = {major, minor, 0, NULL};
  version_info(&info);
  char dac[4096] = {0};
  void *heap = NULL, *handles = NULL;
  int32_t result = initialize(with_runtime ? (void*)&object : NULL, &heap, &handles, dac);
  dup2(before, 2);
  rewind(errors);
  char line[4096], last[4096] = "";
  while (fgets(line, sizeof line, errors) != NULL) { lines++; snprintf(last, sizeof last, "%s", line); }
  const char* text = said[0] != 0 ? said : last;

  int wrong = 0;
  if (info.major != 5 || info.minor != 5 || info.name == NULL || strcmp(info.name, "Garner") != 0) wrong = printf("  it calls itself %s %u.%u\n", info.name, info.major, info.minor);
  if (major == kSupported) {
    if (result != 0 || heap == NULL || handles == NULL || lines != 0) wrong = printf("  refused: result %x, \"%s\"\n", result, text);
    return wrong != 0;
  }
  char found[64], supported[64];
  snprintf(found, sizeof found, "interface %u.%u", major, minor);
  snprintf(supported, sizeof supported, "supported is %d", kSupported);
  if (result == 0 || result == 1) wrong = printf("  not refused: result %x\n", result); // the runtime takes S_FALSE as a refusal too, but may not in time
  if (heap != NULL || handles != NULL) wrong = printf("  refused, and gave out a heap all the same\n");
  if (lines != 1) wrong = printf("  %d lines instead of one\n", lines);
  if (strstr(text, "garner: ") == NULL || strstr(text, found) == NULL || strstr(text, supported) == NULL) wrong = printf("  does not say what was found and what is supported: \"%s\"\n", text);
  char* newline = strchr(text, '\n');
  if (newline != NULL && newline[1] != 0) wrong = printf("  more than a line: \"%s\"\n", text);
  return wrong != 0;
}

int main(int count, char** arguments) {
  if (count != 2) return fprintf(stderr, "versions LIBRARY\n"), 2;
  static const struct { uint32_t major, minor; int with_runtime; } cases[] = {
      {0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {4, 0, 1}, {4, 7, 1}, {5, 0, 1}, {5, 3, 1}, {6, 0, 1}, {0xffffffffu, 0, 1}, {0, 0, 0}, {3, 0, 0}};
  int passed = 0, failed = 0;
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      int code = attempt(arguments[1], cases[i].major, cases[i].minor, cases[i].with_runtime);
      fflush(stdout);
      _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      passed++;
      continue;
    }
    failed++;
    printf("failed: interface %u.%u%s", cases[i].major, cases[i].minor, cases[i].with_runtime ? "" : " without a runtime");
    if (WIFSIGNALED(status)) printf(", ended by signal %d", WTERMSIG(status));
    else printf(", exit code %d%s", WEXITSTATUS(status), WEXITSTATUS(status) == 3 ? " (a slot was called)" : "");
    printf("\n");
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
