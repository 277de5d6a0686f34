// Fuzzing of allocation and mutation scripts: the first two bytes choose options, manners and machine, the rest is the script.
//
// The entry point is libFuzzer's; driver.cc calls the same function where there is no libFuzzer. Whatever is wrong ends the process:
// the verifier runs before and after every collection, and the shadow is compared.
#include "collect/draw.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace garner;
  using namespace garner::test;
  if (size < 2) return 0;
  u64 seed = u64(data[0]) << 8 | data[1];
  Script script = draw_script(seed, false);
  script.bytes = data + 2;
  script.byte_count = size - 2;
  script.threads = 1;
  script.context = "fuzzed";
  Sim machine(draw_machine(seed));
  Result result = play(machine, script);
  if (!result.trouble.empty()) {
    fprintf(stderr, "%s\n", result.trouble.c_str());
    abort();
  }
  return 0;
}
