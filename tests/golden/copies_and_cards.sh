#!/usr/bin/env bash
# Two promises about the code of libgarner-dotnet.so that counting instructions (fast_paths.sh) would not see broken, since each could be kept in fewer of them and be slow:
#   copies  an object of up to 128 bytes is copied without a call: of the jumps in Evacuation::evacuate, and where old objects move beside the program, those are erased that only a larger size takes,
#           and then no path from the beginning comes to memcpy, memmove or a string instruction, but some to as many stores of vectors as copy_small has (machine/linux/linux.h)
#   cards   clean cards are passed over by sixteen or more at a look: in the regions below a written bundle by vectors that are read from memory, in a region by a vector or two words for one jump
# How the compiler arranges that is left to it: which registers, SSE or AVX, the order of blocks, cold parts in functions of their own. The sizes in a comparison are told by their range.
#
# Arguments: BUILD. Last line "N passed, N failed".
set -u
BUILD=${1:?build directory}
LIB=$BUILD/lib/libgarner-dotnet.so
TEMP=$(mktemp -d) && trap 'rm -rf "$TEMP"' EXIT
PASSED=0 FAILED=0
verdict() { if [ "$2" = good ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); echo "$1 failed: $2"; fi; } # NAME, good or what is wrong
finish() { echo "$PASSED passed, $FAILED failed"; [ $FAILED -eq 0 ] && [ $PASSED -gt 0 ]; exit; }
[ -f "$LIB" ] || { verdict library "no $LIB"; finish; }

# A line for each instruction: Class::function, address, instruction. Template arguments, parameters and the compiler's suffixes are cut off: .cold belongs to what it was cut from.
objdump -d --no-show-raw-insn -C "$LIB" | awk '
  /^[0-9a-f]+ <.*>:$/ {
    text = $0; sub(/^[0-9a-f]+ </, "", text); short = ""; depth = 0
    for (i = 1; i <= length(text); i++) { c = substr(text, i, 1); if (c ~ /[<(]/) depth++; else if (c ~ /[>)]/) depth--; else if (depth == 0) short = short c }
    name = match(short, /garner::(dotnet::)?[A-Z][A-Za-z]*::[A-Za-z_0-9]+/) ? substr(short, RSTART, RLENGTH) : "-"; sub(/^garner::(dotnet::)?/, "", name)
    begins = text !~ /\.cold/
    next
  }
  name != "-" && /^ +[0-9a-f]+:\t/ {
    gsub(/\t/, " "); sub(/^ +/, ""); sub(/ +#.*/, ""); at = $1; sub(/:$/, "", at); sub(/^[^ ]+ +/, "")
    print name, begins ? "begin" : "-", at, $0; begins = 0
  }' >"$TEMP/code"
code_of() { grep -E "^($1) " "$TEMP/code"; }

# paths NAME: what a copy of at most 128 bytes may come to: "calls N vectors N guards N". Guards: jumps that a larger size takes, of which there must be one,
# or nothing was understood. An indirect jump leads out: the two functions have none but to other functions.
paths() {
  code_of "$1" | awk '
    function large(compare, jump,   size) { # 1: taken by larger sizes only, 2: by those that are not; 0: neither
      if (compare !~ /^cmp[lq]? +\$0x[0-9a-f]+,/) return 0
      size = compare; sub(/^cmp[lq]? +\$0x/, "", size); sub(/,.*/, "", size); size = hex(size)
      if (size < 120 || size > 144) return 0 # the size may be counted with what stands before the object or without
      if (jump ~ /^j(a|ae|nb|nc|g|ge) /) return 1
      return jump ~ /^j(b|be|c|na|l|le) / ? 2 : 0
    }
    function hex(text,   i, value) { for (i = 1; i <= length(text); i++) value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1; return value }
    function reach(i) { if (i != 0 && !seen[i]) { seen[i] = 1; todo[++waiting] = i } }
    { begin[NR] = $2 == "begin"; place[$3] = NR; at[NR] = $3; text = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", text); code[NR] = text }
    END {
      for (i = 1; i <= NR; i++) if (begin[i]) reach(i)
      while (waiting > 0) {
        i = todo[waiting--]; what = code[i]; target = ""
        if (match(what, /^(call|jmp|j[a-z]+) +[0-9a-f]+ /)) { target = what; sub(/^[a-z]+ +/, "", target); sub(/ .*/, "", target) }
        if (what ~ /mem(cpy|move)|^rep |^movs[bwlq] +%ds:/) { calls++; continue }
        if (what ~ /^v?mov[a-z0-9]* +%[xyz]mm[0-9]+,[^%]*\(%r[^s]/) vectors++
        kind = 0
        if (what ~ /^j[a-z]+ / && what !~ /^jmp/) { for (before = i - 1; before > i - 4 && code[before] ~ /^(mov|lea|nop)/; before--) {} kind = large(code[before], what) }
        if (kind != 0) guards++
        if (what ~ /^j/ && (target in place) && kind != 1) reach(place[target])
        if (what !~ /^(jmp|ret|ud2|hlt)/ && what !~ /^call .*(::die\(|abort)/ && kind != 2) reach(i + 1)
      }
      print calls + 0, vectors + 0, guards + 0
    }'
}
VECTORS=8 # copy_small: from both ends
for name in Evacuation::evacuate Moving::copy_task; do
  read -r calls vectors guards < <(paths "$name")
  if [ -z "$(code_of "$name" | head -n 1)" ]; then verdict "copies of $name" "no such function in the library (renamed or inlined)"
  elif [ "$guards" = 0 ]; then verdict "copies of $name" "no comparison with 128 bytes is found"
  elif [ "$calls" != 0 ]; then verdict "copies of $name" "small objects are copied by a call or a string instruction"
  elif [ "$vectors" -lt $VECTORS ]; then verdict "copies of $name" "$vectors vectors are stored where a small object is copied, $VECTORS expected"
  else verdict "copies of $name" good; fi
done

# Comparisons of a vector that is read from memory, whole.
vectors=' v?(por[dq]?|orps|orpd|pcmpeq[bwdq]|ptest|pmaxub|pminub|ptestn?m[bwdq]) +[^,]*\('
if code_of 'Evacuation::list_[a-z]*' | grep -qE "$vectors"; then verdict 'cards of regions' good
else verdict 'cards of regions' "no vector of cards is compared in Evacuation::list_written, which looks for regions with dirty ones"; fi
# Or one that is read first; or two words for one jump, as GCC 12 has it.
if code_of 'Evacuation::scan_cards' | grep -qE "$vectors"'| v?mov(dq[au]|[au]p[sd]) +[^,%]*\(%r[^s]| or +0x8\(%| cmpq +\$0x0,0x8\(%'; then verdict 'cards of a region' good
else verdict 'cards of a region' "no sixteen cards are looked at together in Evacuation::scan_cards"; fi
finish
