#!/usr/bin/env bash
# A .NET program with libgarner-dotnet.so on a guest with eight nodes: it runs, verified before and after each collection, and its heap's pages
# lie where the option of placement says; its log holds figures by node, and makes a page; and the memory limit of a control group, version 2, is found, filled up and survived. Argument: the build directory. Needs the .NET 10 SDK. Last line "N passed, N failed".
. "$(dirname "$0")/boot.sh"
SHARED=$(dirname "$(readlink -f "$(command -v dotnet)")")
VERSION=$(dotnet --list-runtimes | awk '$1 == "Microsoft.NETCore.App" && $2 ~ /^10\./ { v = $2 } END { print v }')
cp -r "$ROOT/tests/qemu/guest" "$WORK/source" # the tree stays as it is
dotnet build -c Release --nologo -v quiet --disable-build-servers "$WORK/source/Guest.csproj" -o "$WORK/app" >"$QEMU_DIR/app.log" 2>&1 ||
  { tail -n 5 "$QEMU_DIR/app.log"; echo "0 passed, 1 failed"; exit 1; }
mkdir -p "$TREE/app" "$TREE/dotnet/host/fxr" "$TREE/dotnet/shared/Microsoft.NETCore.App"
dotnet build -c Release --nologo -v quiet --disable-build-servers "$ROOT/tests/door/dotnet/endurance/Endurance.csproj" >>"$QEMU_DIR/app.log" 2>&1 ||
  { tail -n 5 "$QEMU_DIR/app.log"; echo "0 passed, 1 failed"; exit 1; }
cp "$ROOT"/build/tests/dotnet/endurance/bin/Endurance.{dll,runtimeconfig.json} "$TREE/app/" # written there by Directory.Build.props
cp "$WORK"/app/Guest.dll "$WORK"/app/Guest.runtimeconfig.json "$BUILD/lib/libgarner-dotnet.so" "$TREE/app/"
cp "$SHARED/dotnet" "$TREE/dotnet/"
cp -r "$SHARED/host/fxr/$VERSION" "$TREE/dotnet/host/fxr/"
cp -r "$SHARED/shared/Microsoft.NETCore.App/$VERSION" "$TREE/dotnet/shared/Microsoft.NETCore.App/"
FRAMEWORK=$TREE/dotnet/shared/Microsoft.NETCore.App/$VERSION
with_libraries "$SHARED/dotnet" "$FRAMEWORK"/lib*.so
CASES=("preset=garner prefer: 4" "preset=interleaved interleave:0-7 8" "preset=fragmented prefer: 4" "preset=naps prefer: 4" "preset=ps none 0")
{
  echo 'export DOTNET_GCPath=/app/libgarner-dotnet.so DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 DOTNET_EnableDiagnostics=0 DOTNET_TieredPGO=0 DOTNET_GCHeapHardLimit=0x6000000'
  for case in "${CASES[@]}"; do
    read -r options policy least <<<"$case"
    echo "GARNER=$options,verify=both,workers=8,eden_max=4m /dotnet/dotnet /app/Guest.dll $policy $least && echo \"case $options: good\" || echo \"case $options: failed\""
  done
  echo 'DOTNET_GCNumaAware=0 GARNER=verify=both,workers=8,eden_max=4m /dotnet/dotnet /app/Guest.dll none 0 && echo "case GCNumaAware=0: good" || echo "case GCNumaAware=0: failed"'
  # Of a few collections the log is brought out through the console.
  echo 'GARNER=preset=naps,workers=8,eden_max=4m,log=/tmp/log,log_format=json,log_detail=roots /dotnet/dotnet /app/Guest.dll prefer: 4 >/tmp/out 2>&1 || cat /tmp/out'
  echo 'grep -E "heap_ready|node_distances|\"index\":[1-4]," /tmp/log | while read -r line; do echo "log: $line"; done'
  # 120 MiB for the group, of which three quarters are the collector's.
  cat <<'LIMIT'
mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup && echo +memory >/sys/fs/cgroup/cgroup.subtree_control && mkdir /sys/fs/cgroup/app && echo 125829120 >/sys/fs/cgroup/app/memory.max
sh -c 'echo 0 >/sys/fs/cgroup/app/cgroup.procs && exec env -u DOTNET_GCHeapHardLimit GARNER=workers=2 /dotnet/dotnet /app/Endurance.dll fill' >/tmp/out 2>&1 &&
  grep -q '^available 94371825$' /tmp/out && grep -q '^oom_kill 0$' /sys/fs/cgroup/app/memory.events && echo "case limit of a control group, version 2: good" ||
  { cat /tmp/out /sys/fs/cgroup/app/memory.events; echo "case limit of a control group, version 2: failed"; }
LIMIT
} >"$WORK/run"
OUT=$QEMU_DIR/dotnet.log
boot "$WORK/run" "$OUT" 600 || echo "the guest did not come to its end; its last lines are:" "$(tail -n 3 "$OUT")"
grep -aE 'guest:|mappings with|^case|garner:|Unhandled|rror' "$OUT"
P=$(grep -ac '^case .*: good' "$OUT")
LOG=$QEMU_DIR/by-node.log PAGE=$QEMU_DIR/by-node.html
sed -n 's/^log: //p' "$OUT" | tr -d '\r' >"$LOG"
good=1
"$BUILD/bin/garner" report "$LOG" -o "$PAGE" || good=0
for figure in 'Workers in the longest' 'Bytes of each space' 'Each space' 'Accesses by workers' 'Accesses to eden' 'Locality'; do grep -q "<section><h2>$figure" "$PAGE" || { echo "the page of the log has no figure '$figure'"; good=0; }; done
P=$((P + good))
within 160 && P=$((P + 1))
F=$((${#CASES[@]} + 4 - P))
echo "$P passed, $F failed"
[ "$F" -eq 0 ]
