#!/usr/bin/env bash
# Calls that have no place in what is loaded into other people's processes (src/), and what to write instead. Malloc, new, throw, printf
# and the headers of the standard library are floors.sh's; here is the rest, and what the library imports in the end.
# Argument: the build directory. One line per breach; last line "N passed, N failed".
. "$(dirname "$0")/shared.inc"
LIB=${1:?build directory}/lib/libgarner-dotnet.so
code=$(mktemp) && trap 'rm -f "$code"' EXIT
# file:line:text without comments, strings, and the two concepts of the standard library that are used
for file in $(git ls-files 'src/*.h' 'src/*.cc' 'src/*.ipp'); do sed -E 's|//.*||; s|"([^"\\]\|\\.)*"||g; s/\bstd::(same_as|convertible_to)\b//g' "$file" | grep -nE '[^ ]' | sed "s|^|$file:|"; done >"$code"
ban() { verdict "$1" < <(grep -E "$2" "$code" | sed "s|$| -- $3|"); } # NAME, pattern, what to write instead
ban std '\bstd::' "base/arena.h's Vector, base/words.h; of the standard library only same_as and convertible_to"
ban assert '(^|[^_A-Za-z])assert *\(|<cassert>|<assert\.h>' "GARNER_CHECK or GARNER_ASSERT (base/check.h)"
ban text '\b(snprintf|sprintf|vsnprintf|puts|fputs|putchar|perror|fopen|fwrite|fflush|strtol|strtoul|atoi|sscanf)\b *\(' "base/print.h, and open, read, write"
ban memory '\b(strdup|asprintf|posix_memalign|aligned_alloc|alloca|mallopt)\b *\(' "base/arena.h"
ban 'hidden allocation' '\b(getline|opendir|scandir|qsort|setlocale|dlopen|dlsym|atexit)\b *\(' "plain system calls on own memory"
ban exits '(^|[^_A-Za-z.>:])(exit|_exit|quick_exit)\b *\(' "die (base/check.h), or an error that the caller gets"
ban exceptions '\b(catch|noexcept\(false\)|std::terminate)\b' "errors are values"
ban clocks '(^|[^_A-Za-z.>:])(time|clock|gettimeofday|rand|srand)\b *\(' "the machine's now(), base/random.h"
ban sleeps '(^|[^_A-Za-z.>:])(usleep|nanosleep)\b *\(' "the machine's park()"
ban locks '\bpthread_(mutex|cond|rwlock|spin|once|key)[a-z_]*|<(mutex|semaphore|atomic|condition_variable)>' "host/dotnet/mutex.h, work/monitor.h, base/atomic.h"

# Whatever the source says, this is what the loader resolves: each name here was a decision.
known=' abort clock_gettime close fallocate fcntl fstat ftruncate getenv getpid getrlimit madvise memchr memcmp memcpy memfd_create memmove memset mmap mremap mprotect munmap open poll
 pthread_attr_destroy pthread_attr_init pthread_attr_setdetachstate pthread_create pthread_sigmask read sched_getaffinity sched_getcpu sched_setaffinity sched_yield
 sigaddset sigdelset sigemptyset sigfillset sigismember sigpending sigtimedwait strchr strcmp strerrordesc_np strlen strstr syscall sysconf sysinfo unlink write
 __errno_location __sched_cpucount __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable '
imports=$(nm -D --undefined-only "$LIB" | awk '{print $NF}' | sed 's/@.*//' | sort -u)
verdict imports < <(
  grep -qx mmap <<<"$imports" || echo "$LIB: no library that asks for memory"
  for name in $imports; do [[ $known == *[[:space:]]"$name"[[:space:]]* ]] || echo "libgarner-dotnet.so imports $name: reachable without memory, locks and signals of the host? Then add it to banned.sh"; done)
finish
