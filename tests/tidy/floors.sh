#!/usr/bin/env bash
# Rules of the tree that a compiler does not check. One line per breach; last line "N passed, N failed".
#   floors    a floor includes only floors below it, rooms on one floor do not include each other
#   headers   <thread> <chrono> <iostream> <memory> <vector> <string> stay out of floors 0 to 8
#   calls     malloc, new, throw, try, dynamic_cast, typeid and printf stay out of floors 0 to 8
#   lengths   no source file over 800 lines
#   words     no path of somebody's machine, no open ends in code
#   readme    every room has a README or a header essay
#   openings  every source file of src/ begins with a comment that says what it is for
. "$(dirname "$0")/shared.inc"
floor_of() {
  case $1 in
    base) echo 0 ;; options | event | record) echo 1 ;; seam) echo 2 ;; machine) echo 3 ;; heap | work) echo 4 ;;
    collect) echo 5 ;; cycle) echo 6 ;; host) echo 7 ;; door) echo 8 ;; observe) echo 2 ;; # the side room knows base, options, event
    *) echo 99 ;;
  esac
}
floors() {
  local file room from to target inner
  while IFS=: read -r file _ target; do
    room=$(cut -d/ -f2 <<<"$file"); inner=$(cut -d/ -f3 <<<"$file")
    from=$(floor_of "$room"); to=$(floor_of "${target%%/*}")
    [ "$to" = 99 ] && { echo "$file includes $target: no such room"; continue; }
    if [ "$room" = "${target%%/*}" ]; then # rooms inside machine, host, door, collect do not include each other
      case $room in
        machine | host | door) [ "$inner" = "$(cut -d/ -f2 <<<"$target")" ] || echo "$file includes its neighbour $target" ;;
      esac
      continue
    fi
    # work is asked by collect and cycle; the .NET host opens the log of the side room
    [ "$to" -lt "$from" ] || echo "$file (floor $from) includes $target (floor $to)"
  done < <(grep -rnoE '#include "[^"]+"' src | sed -E 's/#include "([^"]+)"/\1/')
}
verdict floors < <(floors)
core=$(git ls-files 'src/*.h' 'src/*.cc' 'src/*.ipp' 2>/dev/null)
verdict headers < <(grep -nE '#include <(thread|chrono|iostream|memory|vector|string|map|unordered_map|functional|algorithm|mutex|stdio.h|cstdio)>' $core)
# Looked for outside comments and strings; placement new is written new (place).
verdict calls < <(for file in $core; do sed -E 's|//.*||; s|"[^"]*"||g' "$file" | grep -nE '\b(malloc|calloc|realloc|free|printf|fprintf|throw|try|dynamic_cast|typeid)\b *\(|\bnew +[A-Za-z]|\bdelete +[a-z]' | sed "s|^|$file:|"; done)
verdict lengths < <(git ls-files 'src/*' 'tools/*' 'tests/*' 'bench/*' | grep -E '\.(cc|h|ipp|cs|sh)$' | xargs -r wc -l | awk '$2 != "total" && $1 > 800 {print $2, $1, "lines"}')
verdict paths < <(git grep -nE '(^|[^A-Za-z0-9_.])/(work|home|root|farm)/' -- . ':!tests/tidy' ':!*.golden')
verdict "open ends" < <(git grep -nE '\b(TODO|FIXME|XXX)\b' -- src tools tests bench scripts ':!tests/tidy')
verdict readme < <(for room in src/*/; do
  [ -e "$room/README.md" ] || head -n 3 "$room"/*.h 2>/dev/null | grep -q '^//' || head -n 3 "$room"/*/*.h 2>/dev/null | grep -q '^//' || echo "$room has neither README.md nor a header that opens with an essay"
done)
verdict openings < <(for file in $core; do [ "$(head -c 2 "$file")" = // ] || echo "$file does not open with what it is for"; done)
finish
