#!/usr/bin/env bash
# The SDK's C# compiler on Garner must write the same bytes as on the runtime's own collector: dll, pdb and documentation.
# Arguments: --lib PATH. Ends with "N passed, N failed".
. "$(dirname "$0")/common.sh"
build_dotnet "$ROOT/bench/dotnet/workloads"
SDK=$(dotnet --list-sdks | sed -nE 's/^(10\.[^ ]*) \[(.*)\]$/\2\/\1/p' | tail -n 1)
CSC=$SDK/Roslyn/bincore/csc.dll
[ -f "$CSC" ] || fail "no compiler at $CSC"
DIR=$(mktemp -d) && trap 'rm -rf "$DIR"' EXIT
dotnet "$WORKLOADS" generate-csharp files=8 seed=1 out="$DIR" >/dev/null || fail "the generator failed"
compile() { # NAME, environment assignments
  local name=$1; shift
  (cd "$DIR" && rm -f generated.dll generated.pdb generated.xml && env "$@" timeout 300 dotnet exec "$CSC" -noconfig @generated.rsp >"$name.out" 2>&1) || return 1
  mkdir -p "$DIR/$name" && mv "$DIR"/generated.dll "$DIR"/generated.pdb "$DIR"/generated.xml "$DIR/$name/"
}
compile stock A=A || fail "the compiler fails on the runtime's own collector"
row() { # NAME, environment assignments
  local name=$1; shift
  if compile "$name" DOTNET_GCPath="$LIB" "$@" && diff -r "$DIR/stock" "$DIR/$name" >/dev/null; then pass
  else miss "compiler $name: $*" "$DIR/$name.out"; fi
}
row default GARNER=
row server DOTNET_gcServer=1
row no-tiering DOTNET_TieredCompilation=0
row limit DOTNET_GCHeapHardLimit=0xC000000
row one-worker GARNER=workers=1
row verified "GARNER=workers=2,verify=both,limit_percent=50,conserve=9"
row stress "GARNER=workers=3,woken_per=0,stress_every=60,poison=on"
row full "GARNER=workers=3,woken_per=0,stress_every=150,stress_kind=full,verify=after"
row ages "GARNER=preset=fragmented,space_old=fragmented,workers=2,tenure_age=2,region=64k,tlab=4k,stress_every=150,poison=on"
row ps "GARNER=preset=ps,workers=2,stress_every=200"
row naps "GARNER=preset=naps,workers=2,stress_every=200"
row segregated "GARNER=preset=segregated,workers=2,stress_every=200"
row aggressive "GARNER=preset=aggressive,workers=2,stress_every=200"
row hybrid "GARNER=preset=hybrid,workers=2,stress_every=200"
row relaxed "GARNER=preset=relaxed,workers=2,stress_every=200"
row by-node "GARNER=preset=interleaved,term_exit=count_only,workers=3,woken_per=0,scheme=aggressive,old_roots=home,node_lookup=cache,card_phase=apart,steal_half=on,victim=nearest,stress_every=200,verify=after"
finish
