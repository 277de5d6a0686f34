// A collector library for a real runtime that makes the library under test believe that this runtime is of another version: it changes what
// GC_VersionInfo is told and passes everything on. cc -shared -fPIC -DLIBRARY='"…"' -DMAJOR=5 other_version.c
#include <dlfcn.h>
#include <stdint.h>

struct VersionInfo { uint32_t major, minor, build; const char* name; };
static void* module(void) { return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL); }

__attribute__((visibility("default"))) void GC_VersionInfo(struct VersionInfo* info) {
  info->major = MAJOR;
  ((void (*)(struct VersionInfo*))dlsym(module(), "GC_VersionInfo"))(info);
}
__attribute__((visibility("default"))) int32_t GC_Initialize(void* runtime, void** heap, void** handles, void* dac) {
  return ((int32_t (*)(void*, void**, void**, void*))dlsym(module(), "GC_Initialize"))(runtime, heap, handles, dac);
}
