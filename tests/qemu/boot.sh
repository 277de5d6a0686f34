# Sourced by the scripts of this directory: makes an initramfs and boots an eight-node guest with it. Needs what scripts/setup.sh prepare_qemu
# brings. The guest has no network and no disk; it runs /run and powers off. KVM is not used: where the device exists it need not work.
# shellcheck shell=bash
set -u
SECONDS=0
BUILD=$(cd "${1:?build directory}" && pwd)
QEMU_DIR=$BUILD/qemu
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$(mktemp -d "$QEMU_DIR/guest.XXXXXX") && trap 'rm -rf "$WORK"' EXIT
TREE=$WORK/tree
mkdir -p "$TREE"/{bin,proc,sys,dev,tmp,lib64,lib}

# with_libraries PROGRAM…: the libraries that these need, at the paths where the loader looks for them.
with_libraries() {
  local library
  ldd "$@" 2>/dev/null | grep -oE '/[^ ]+' | grep -v ':$' | sort -u | while read -r library; do
    mkdir -p "$TREE$(dirname "$library")"
    cp -Ln "$library" "$TREE$library" 2>/dev/null
  done
}

# within SECONDS: one line on how long the script has taken so far; false when that is more. The scripts of this directory have four minutes together, on a machine that
# brings the guest's system up within 5 s, and as many times more as that takes longer.
within() {
  local took=$SECONDS up may
  up=$(LC_ALL=C sed -nE 's/.*guest: Linux .*, up after ([0-9.]+) s.*/\1/p' "$OUT" | head -n 1)
  may=$(awk -v may="$1" -v up="${up:-0}" 'BEGIN { printf "%.0f\n", may * (up > 5 ? up / 5 : 1) }')
  if [ "$took" -le "$may" ]; then echo "took $took s of $may s"; return 0; fi
  echo "took $took s, more than the $may s that it may"
  return 1
}

# boot RUN-SCRIPT OUTPUT SECONDS: RUN-SCRIPT is a shell script for the guest. Returns 1 when the guest did not come to its end.
boot() {
  local applet nodes=8 i j near numa=() distances=()
  cp /bin/busybox "$TREE/bin/busybox"
  for applet in sh mount cat echo cut uname poweroff env grep mkdir; do ln -sf busybox "$TREE/bin/$applet"; done
  cp "$1" "$TREE/run"
  cat >"$TREE/init" <<'INIT'
#!/bin/sh
export PATH=/bin HOME=/tmp
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev; mount -t tmpfs none /tmp
echo "guest: Linux $(uname -r), nodes $(cat /sys/devices/system/node/online), up after $(cut -d' ' -f1 /proc/uptime) s"
sh /run
echo "guest: end after $(cut -d' ' -f1 /proc/uptime) s"
poweroff -f
INIT
  chmod +x "$TREE/init"
  (cd "$TREE" && find . | cpio -o -H newc --quiet) >"$WORK/initrd" || return 1 # not packed: unpacking costs the guest more than reading
  for ((i = 0; i < nodes; i++)); do
    numa+=(-object "memory-backend-ram,id=m$i,size=256M" -numa "node,nodeid=$i,cpus=$i,memdev=m$i")
    for ((j = 0; j < nodes; j++)); do
      [ $i = $j ] && continue
      near=22
      { [ $((i / 2)) = $((j / 2)) ] || [ $((i % 2)) = $((j % 2)) ]; } && near=16
      distances+=(-numa "dist,src=$i,dst=$j,val=$near") # after every node
    done
  done
  timeout "$3" qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max -smp $nodes,sockets=$nodes,cores=1,threads=1 -m $((nodes * 256))M \
    "${numa[@]}" "${distances[@]}" -kernel "$QEMU_DIR/vmlinuz" -initrd "$WORK/initrd" -append "console=ttyS0 quiet panic=-1" \
    -nodefaults -nographic -no-reboot -serial stdio </dev/null 2>&1 | tr -d '\r' >"$2"
  grep -aq '^guest: end after' "$2"
}
