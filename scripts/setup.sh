# Sourced by ./run and ./test: finds out what is missing, installs it, builds. Debian 12; needs root or sudo only when something is missing.
# Sets ROOT, BUILD, JOBS, HAVE_DOTNET (1 with a .NET 10 SDK, else 0).
set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${GARNER_BUILD:-$ROOT/build}
JOBS=$(nproc)
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 DOTNET_GENERATE_ASPNET_CERTIFICATE=false
unset DOTNET_GCPath DOTNET_GCName GARNER

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# apt_install SUDO LOG ARGUMENTS…: brings the lists of packages up to date and installs, through SUDO (a command in words) where we are not root. What apt-get
# says goes to LOG; fails as it does.
apt_install() {
  local as=() log=$2
  [ "$(id -u)" -eq 0 ] || read -ra as <<<"$1"
  shift 2
  "${as[@]}" apt-get update -qq >/dev/null 2>&1
  DEBIAN_FRONTEND=noninteractive "${as[@]}" apt-get install -y -qq "$@" >"$log" 2>&1
}

install_missing() {
  local missing=() want log=${TMPDIR:-/tmp}/garner-apt.log
  for want in g++:g++ cmake:cmake ninja:ninja-build; do
    command -v "${want%%:*}" >/dev/null || missing+=("${want##*:}")
  done
  for want in libgtest-dev:/usr/include/gtest/gtest.h libcli11-dev:/usr/include/CLI/CLI.hpp libfmt-dev:/usr/include/fmt/core.h \
              nlohmann-json3-dev:/usr/include/nlohmann/json.hpp libjs-chart.js:/usr/share/javascript/chart.js/chart.min.js \
              libncurses-dev:/usr/include/curses.h; do
    [ -e "${want#*:}" ] || missing+=("${want%%:*}")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing: ${missing[*]}"
  if ! command -v apt-get >/dev/null || { [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; }; then
    fail "missing packages: ${missing[*]} (install them, then run this again)"
  fi
  apt_install sudo "$log" "${missing[@]}" || fail "apt-get could not install ${missing[*]}; see $log"
}

find_dotnet() {
  HAVE_DOTNET=0
  if command -v dotnet >/dev/null && dotnet --list-sdks 2>/dev/null | grep -q '^10\.'; then HAVE_DOTNET=1; fi
}

# build_native DIR [cmake options]: configures, drops programs of before that are none any more, and builds; prints the end of the log when it fails.
build_native() {
  local dir=$1; shift
  mkdir -p "$dir"
  { cmake -S "$ROOT" -B "$dir" -G Ninja -DGARNER_TESTS=ON -DGARNER_TOOLS=ON -DGARNER_SANITIZE= "$@" && ninja -C "$dir" -t cleandead &&
    ninja -C "$dir" -j "$JOBS"; } >"$dir/build.log" 2>&1 ||
    { tail -n 40 "$dir/build.log"; fail "build failed; the whole log is $dir/build.log"; }
}

# build_dotnet PROJECT: a Release build with its output under ROOT/build, wherever GARNER_BUILD is, one at a time, as scripts beside each other may ask for the same one. GARNER_BUILT: those that whoever started us has built.
build_dotnet() {
  case " ${GARNER_BUILT:-} " in *" $1 "*) return ;; esac
  mkdir -p "$BUILD" "$ROOT/build"
  # Build servers live on for minutes: none may keep the lock, nor be left behind.
  flock -o "$ROOT/build/dotnet-build.lock" dotnet build -c Release --nologo -v quiet --disable-build-servers "$1" >"$BUILD/dotnet-build.log" 2>&1 || { tail -n 30 "$BUILD/dotnet-build.log"; fail "dotnet build $1 failed"; }
}

# prepare_browser: a Chromium for tests/tools/pages.sh, with a font to measure text by. Returns 1 with one line when it cannot be had; the test is skipped then.
prepare_browser() {
  command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v google-chrome >/dev/null && return 0
  command -v apt-get >/dev/null || { say "no test of the pages in a browser: no apt-get to install chromium-headless-shell with"; return 1; }
  apt_install "sudo -n" "$BUILD/browser-apt.log" --no-install-recommends chromium-headless-shell fonts-dejavu-core ||
    { say "no test of the pages in a browser: apt-get could not install chromium-headless-shell; see $BUILD/browser-apt.log"; return 1; }
}

# prepare_clang: a second compiler, for tests/golden/simulations.sh. Returns 1 with one line when it cannot be had; what it compiles is left out then.
prepare_clang() {
  command -v clang++ >/dev/null || command -v clang++-14 >/dev/null && return 0
  command -v apt-get >/dev/null || { say "no simulations by a second compiler: no apt-get to install clang with"; return 1; }
  apt_install "sudo -n" "$BUILD/clang-apt.log" --no-install-recommends clang ||
    { say "no simulations by a second compiler: apt-get could not install clang; see $BUILD/clang-apt.log"; return 1; }
}

# prepare_qemu: an emulator, a busybox and a kernel for tests/qemu, from Debian's packages. The kernel is unpacked to $BUILD/qemu, not installed.
# Returns 1 with one line when they cannot be had; the tests are skipped then.
prepare_qemu() {
  local missing=() kernel
  command -v qemu-system-x86_64 >/dev/null || missing+=(qemu-system-x86)
  command -v cpio >/dev/null || missing+=(cpio)
  [ -x /bin/busybox ] || missing+=(busybox-static)
  mkdir -p "$BUILD/qemu"
  [ ${#missing[@]} -eq 0 ] && [ -e "$BUILD/qemu/vmlinuz" ] && return 0
  [ "$(uname -m)" = x86_64 ] || { say "no QEMU tests: they boot an x86-64 guest, and this is $(uname -m)"; return 1; }
  command -v apt-get >/dev/null || { say "no QEMU tests: no apt-get to install ${missing[*]:-a kernel} with"; return 1; }
  if [ ${#missing[@]} -gt 0 ]; then
    apt_install "sudo -n" "$BUILD/qemu/apt.log" --no-install-recommends "${missing[@]}" ||
      { say "no QEMU tests: apt-get could not install ${missing[*]}; see $BUILD/qemu/apt.log"; return 1; }
  fi
  [ -e "$BUILD/qemu/vmlinuz" ] && return 0
  kernel=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends:/ { print $2; exit }')
  ( cd "$BUILD/qemu" && rm -rf kernel ./*.deb && apt-get download "${kernel:-linux-image-cloud-amd64}" && dpkg-deb -x linux-image-*.deb kernel &&
    cp kernel/boot/vmlinuz-* vmlinuz && rm -rf kernel ./*.deb ) >"$BUILD/qemu/kernel.log" 2>&1 ||
    { say "no QEMU tests: the package of a kernel could not be had; see $BUILD/qemu/kernel.log"; return 1; }
}
