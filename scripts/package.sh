#!/usr/bin/env bash
# Makes the packages of a finished build: scripts/package.sh BUILD [--lib PATH] [--only nuget|deb] [--version V]; ./run --package builds first.
# Prints the path of each, which lie in BUILD/packages. The NuGet package needs a .NET 10 SDK; --lib packs another library than BUILD's. --version: another than
# the project's, such as 0.1.0-ci.7: a package that was built anew under a version that NuGet has unpacked once is not taken. The .deb has ~ for the first -.
. "$(dirname "$0")/setup.sh"
BUILD=$(cd "${1:?scripts/package.sh BUILD}" && pwd) || exit 1
shift
LIB=$BUILD/lib/libgarner-dotnet.so ONLY=
VERSION=$(sed -nE 's/^project\(garner VERSION ([0-9.]+).*/\1/p' "$ROOT/CMakeLists.txt")
while [ $# -gt 0 ]; do
  case $1 in
    --lib) LIB=$(realpath "${2:?--lib needs a path}"); shift ;;
    --version) VERSION=${2:?--version needs a version}; shift ;;
    --only) ONLY=${2:?--only needs nuget or deb}; shift ;;
    *) fail "unknown option $1; see the head of scripts/package.sh" ;;
  esac
  shift
done
case $ONLY in '' | nuget | deb) ;; *) fail "no package '$ONLY'; nuget or deb" ;; esac
[ -f "$LIB" ] || fail "no library $LIB; ./run --build makes it"
[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z][0-9A-Za-z.-]*)?$ ]] || fail "no version '$VERSION'; as in 0.1.0 or 0.1.0-ci.7"
deb_version=${VERSION/-/\~} # to Debian a hyphen begins the packager's own count; what comes after a tilde is older than nothing
OUT=$BUILD/packages
mkdir -p "$OUT"
if [ "$ONLY" != deb ]; then
  find_dotnet
  [ $HAVE_DOTNET = 1 ] || fail "no .NET 10 SDK found: the NuGet package cannot be made (--only deb makes the other)"
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
  cp "$ROOT"/packaging/nuget/* "$work" && cp "$LIB" "$work/libgarner-dotnet.so" || exit 1
  objcopy --strip-debug "$work/libgarner-dotnet.so" || exit 1
  dotnet pack "$work/Garner.csproj" -nologo -v quiet --disable-build-servers -p:GarnerLibrary="$work/libgarner-dotnet.so" -p:GarnerVersion="$VERSION" -o "$OUT" >"$OUT/pack.log" 2>&1 ||
    { tail -n 20 "$OUT/pack.log"; fail "dotnet pack failed"; }
  say "$OUT/Garner.$VERSION.nupkg"
fi
if [ "$ONLY" != nuget ]; then
  command -v dpkg-shlibdeps >/dev/null || apt_install sudo "$OUT/apt.log" dpkg-dev || fail "dpkg-shlibdeps is missing and apt-get could not install dpkg-dev; see $OUT/apt.log"
  (cd "$BUILD" && cpack -G DEB -B "$OUT" -D CPACK_PACKAGE_VERSION="$deb_version") >"$OUT/cpack.log" 2>&1 || { tail -n 20 "$OUT/cpack.log"; fail "cpack failed"; }
  say "$OUT/garner_${deb_version}_amd64.deb"
fi
