// Checks that stay on, checks for tests, and the one way to die.
//
// GARNER_CHECK is for conditions whose failure would corrupt someone else's heap: always compiled, cheap, one line and abort.
// GARNER_ASSERT is compiled into debug and sanitizer builds only.
#pragma once
#include "base/words.h"

namespace garner {

// Writes "garner: fatal: …" to file descriptor 2 and aborts. Async-signal-safe; allocates nothing.
[[noreturn]] GARNER_COLD void die(const char* what, const char* file, int line);

#define GARNER_CHECK(cond, what) (GARNER_LIKELY(cond) ? void() : ::garner::die(what " (" #cond ")", __FILE__, __LINE__))
#if defined(GARNER_DEBUG)
#define GARNER_ASSERT(cond) GARNER_CHECK(cond, "assertion")
#else
#define GARNER_ASSERT(cond) void(sizeof(!(cond)))
#endif

} // namespace garner
