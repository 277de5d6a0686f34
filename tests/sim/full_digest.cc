// garner_sim_digest: prints the digests of full_digest.h. Built twice, as everything else is and without optimisation; both must agree.
#include <cstdio>

#include "base/atomic.h"
#include "full_digest.h"

int main() {
  for (garner::u64 seed = 1; seed <= 6; seed++) printf("%llu ", static_cast<unsigned long long>(garner::full_digest(seed, garner::picker_of(seed))));
  printf("\n");
  return 0;
}
