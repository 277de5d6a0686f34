// garner_fuzz: feeds the fuzzer's entry point where libFuzzer is not at hand.
//
//   garner_fuzz [--seconds S] [--runs N] [--seed S] [FILE or DIRECTORY …]
//
// First every file given (and every file of each directory), then, until the time is up or so many have run, random bytes and changed files, all from the
// seed. A fuzzer that has libFuzzer's hook for it changes files itself, in turn. An input that fails is written to the current directory as fuzz-failure-<n>;
// give that file to play it again.
// Last line: "N passed, N failed".
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "collect/forks.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size);
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(unsigned char* data, size_t size, size_t most, unsigned seed);

namespace garner::test {
namespace {

using Input = std::vector<unsigned char>;

constexpr usize kMadeMost = 256 * KiB; // as large as the fuzzer's own changes may make an input

bool read_file(const std::string& path, Input& input) {
  FILE* file = fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  unsigned char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) input.insert(input.end(), buffer, buffer + n);
  fclose(file);
  return true;
}

bool read_all(const std::string& path, std::vector<Input>& corpus) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return false;
  if (!S_ISDIR(info.st_mode)) return read_file(path, corpus.emplace_back());
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) return false;
  std::vector<std::string> names;
  while (dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.') names.push_back(entry->d_name);
  closedir(directory);
  std::sort(names.begin(), names.end()); // the same inputs by the same numbers on every file system
  bool good = true;
  for (const std::string& name : names) good = read_all(path + "/" + name, corpus) && good;
  return good;
}

// The input of a number: a file of the corpus, a changed one, or random bytes.
Input make_input(const std::vector<Input>& corpus, u64 seed, u64 number) {
  if (number < corpus.size()) return corpus[number];
  Random random(mix64(seed) ^ number);
  Input input;
  if (LLVMFuzzerCustomMutator != nullptr && !corpus.empty()) {
    input = corpus[number % corpus.size()];
    const usize size = input.size();
    input.resize(max_of(size, kMadeMost));
    input.resize(LLVMFuzzerCustomMutator(input.data(), size, input.size(), unsigned(random.next())));
    return input;
  }
  if (!corpus.empty() && random.one_in(2)) input = corpus[random.below(corpus.size())];
  else input.resize(2 + (random.below(6000) >> random.below(4)));
  bool fresh = random.one_in(2);
  for (unsigned char& byte : input)
    if (fresh || random.one_in(16)) byte = (unsigned char)(random.next());
  if (random.one_in(4) && input.size() > 64) input.insert(input.end(), input.begin() + 32, input.begin() + 64); // a stretch twice
  if (random.one_in(4)) input.resize(input.size() - random.below(input.size() / 2 + 1));
  return input;
}

int fuzz(const std::vector<Input>& corpus, u64 seed, u32 seconds, u64 runs) {
  ForkPlan plan;
  plan.jobs = u32(sysconf(_SC_NPROCESSORS_ONLN));
  plan.runs = seconds == 0 || runs != 0 ? corpus.size() + runs : 0;
  plan.seconds = seconds;
  plan.hang_seconds = 120;
  Forks forks(plan);
  u64 failures = forks.run(
      [&](u64 number) {
        Input input = make_input(corpus, seed, number);
        LLVMFuzzerTestOneInput(input.data(), input.size());
        return std::string();
      },
      [&](u64 number, const std::string& how) {
        Input input = make_input(corpus, seed, number);
        std::string name = "fuzz-failure-" + std::to_string(number);
        if (FILE* file = fopen(name.c_str(), "wb")) {
          fwrite(input.data(), 1, input.size(), file);
          fclose(file);
        }
        printf("input %llu failed: %s\n  replay: %s %s\n", (unsigned long long)(number), how.c_str(), program_invocation_short_name, name.c_str());
        fflush(stdout);
      });
  printf("%llu passed, %llu failed\n", (unsigned long long)(forks.passed()), (unsigned long long)(failures));
  return failures == 0 && (forks.passed() > 0 || corpus.empty()) ? 0 : 1;
}

} // namespace
} // namespace garner::test

int main(int count, char** args) {
  using namespace garner;
  u64 seed = 1;
  u32 seconds = 0;
  u64 runs = 0;
  std::vector<std::vector<unsigned char>> corpus;
  for (int i = 1; i < count; i++) {
    if (strcmp(args[i], "--seconds") == 0 && i + 1 < count) {
      seconds = u32(strtoul(args[++i], nullptr, 10));
    } else if (strcmp(args[i], "--seed") == 0 && i + 1 < count) {
      seed = strtoull(args[++i], nullptr, 10);
    } else if (strcmp(args[i], "--runs") == 0 && i + 1 < count) {
      runs = strtoull(args[++i], nullptr, 10);
    } else if (!test::read_all(args[i], corpus)) {
      fprintf(stderr, "cannot read %s\nusage: %s [--seconds S] [--runs N] [--seed S] [FILE or DIRECTORY …]\n", args[i], program_invocation_short_name);
      return 2;
    }
  }
  return test::fuzz(corpus, seed, seconds, runs);
}
