// Fuzzing of recordings: any bytes, and recordings whose sums are right although their bodies are not. What is accepted must be a graph.
#include <cstdlib>

#include "../record/bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace garner;
  record::Recording r;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (int signed_anew = 0; signed_anew < 2; signed_anew++) {
    if (test::read(r, signed_anew != 0 ? test::resigned(bytes) : bytes) != nullptr) continue;
    u64 sum = 0, last = 0;
    for (u32 i = 0; i < r.objects(); i++) {
      const record::ClassDef& shape = r.shape(i);
      if (shape.words < 3 || shape.slots >= shape.words || r.object(i).thread > r.tail().threads) abort();
      sum += shape.words * kWordBytes;
      for (u32 e = r.object(i).first_edge; e < r.object(i + 1).first_edge; e++) {
        if (e > r.object(i).first_edge && r.edges()[e].slot <= last) abort();
        last = r.edges()[e].slot;
        if (r.edges()[e].target >= r.objects() || last >= shape.slots) abort();
      }
    }
    for (usize i = 0; i < r.roots().size(); i++)
      if (r.roots()[i].target >= r.objects() || r.roots()[i].second > r.objects()) abort();
    if (sum != r.tail().object_bytes) abort();
  }
  return 0;
}
