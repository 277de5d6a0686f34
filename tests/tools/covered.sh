# The programs of the .NET door run with every option on and off: each choice of each option, and for those that are numbers some value, is asked for by name in a row of the
# door's suites (tests/door/dotnet/suite) or is part of a preset that is asked for. A new option, or a new choice of one, fails here until a row has it.
. "$(dirname "$0")/shared.inc"

"$garner" options --json > "$scratch/options.json"
# One line for each: NAME, its type and its default, and its choices. What a recording takes is asked for by 'garner record' (recording.sh).
awk -F'"' '
  /^      "name":/ { floor = $4; sub(/\..*/, "", floor); name = $4; sub(/^[a-z]*\./, "", name); choices = "" }
  /^      "type":/ { type = $4 }
  /^      "choices":/ { listing = 1; next }
  listing && /\]/ { listing = 0 }
  listing { choices = choices " " $2 }
  /^      "default":/ && floor != "record" { print name, type, $4, choices }
' "$scratch/options.json" > "$scratch/options"
[ "$(wc -l < "$scratch/options")" -gt 40 ] || fail "few options were read"

# What rows ask for, name=value each on a line; a preset brings what stands in its row of the documents.
rows=$(grep -h 'GARNER\|--stress' "$tree"/tests/door/dotnet/suite/*.sh | grep -v '^ *#')
echo "$rows" | grep -o '[a-z_][a-z_]*=[a-z0-9_]*' > "$scratch/asked"
for preset in $(sed -n 's/^preset=//p' "$scratch/asked" | sort -u); do
  grep "^| \`$preset\` |" "$tree/docs/options.md" | grep -o '[a-z]*\.[a-z_]*=[a-z0-9_]*' | sed 's/^[a-z]*\.//' >> "$scratch/asked"
done

missing=
while read -r name type default choices; do
  case $type in
    text) continue ;; # where a log or a recording goes: recording.sh, top.sh and tools.sh
    flag) grep -qx "$name=$([ "$default" = on ] && echo off || echo on)" "$scratch/asked" || missing="$missing $name" ;;
    choice) for choice in $choices; do [ "$choice" = "$default" ] || grep -qx "$name=$choice" "$scratch/asked" || missing="$missing $name=$choice"; done ;;
    *) grep -q "^$name=" "$scratch/asked" || missing="$missing $name" ;;
  esac
done < "$scratch/options"
[ -z "$missing" ] || fail "no row of the .NET door's suites asks for:$missing"
