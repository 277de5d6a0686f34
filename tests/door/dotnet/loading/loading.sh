#!/bin/bash
# Checks that the collector's library is found and used in every way a .NET program can be packaged, and in every way a program can name its
# collector. The program (Hello.cs) looks into its own memory map, so a pass proves that this library was in use and no other.
#
#   loading.sh --lib PATH/libgarner-dotnet.so [--jobs N] [--only REGEX]
#   loading.sh                                  self-check with a renamed copy of the runtime's own libclrgc.so
#
# Packages: framework-dependent (dotnet Loading.dll, and its own host), self-contained, single-file framework-dependent, single-file
# self-contained. Ways: DOTNET_GCPath absolute, DOTNET_GCPath=./relative, DOTNET_GCName beside the program, System.GC.Path and System.GC.Name in
# runtimeconfig.json. Each with gcServer 0 and 1, as it comes, and without tiering, precompiled code, and write-xor-execute.
# Self-contained packages need the runtime pack from NuGet: where it cannot be had, these checks fail and say so.
# The last line is `N passed, N failed`.
set -u -o pipefail
shopt -s nullglob
ulimit -c 0

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(realpath -m "$here/../../../../build/tests/dotnet/loading")

lib= jobs=$(nproc) only=.
while (($#)); do
    case $1 in
        --lib) lib=$(realpath "$2") || exit 2; shift 2 ;;
        --jobs) jobs=$2; shift 2 ;;
        --only) only=$2; shift 2 ;;
        *) echo "loading.sh: unknown argument '$1'; the head of the file lists them" >&2; exit 2 ;;
    esac
done
command -v dotnet >/dev/null || { echo "loading.sh: no dotnet on the PATH" >&2; exit 2; }
[[ -z $lib || -f $lib ]] || { echo "loading.sh: no library $lib" >&2; exit 2; }
for name in $(compgen -e); do
    case $name in DOTNET_GC* | DOTNET_gc* | DOTNET_Tiered* | DOTNET_ReadyToRun | DOTNET_EnableWriteXorExecute | COMPlus_* | GARNER*) unset "$name" ;; esac
done
export DOTNET_EnableDiagnostics_IPC=0 DOTNET_DbgEnableMiniDump=0
# A framework-dependent program's own host must find the same runtime as `dotnet` on the PATH.
dotnet_home=$(dirname "$(realpath "$(command -v dotnet)")")
export DOTNET_ROOT=${DOTNET_ROOT:-$dotnet_home}

if [[ -n $lib ]]; then
    library=${lib##*/}
else
    # Under another name, so that the file in the memory map is this copy and not the one beside the runtime.
    library=libselfcheck-gc.so
    read -r _ version folder < <(dotnet --list-runtimes | while read -r n v f; do [[ $n == Microsoft.NETCore.App && $v == 10.* ]] && echo "$n $v $f"; done | tail -n 1)
    folder=${folder#[}
    lib=${folder%]}/$version/libclrgc.so
    [[ -f $lib ]] || { echo "loading.sh: no libclrgc.so in the runtime for the self-check" >&2; exit 2; }
fi
apps=$out/apps/$library
mkdir -p "$apps/lib"
cp -f "$lib" "$apps/lib/$library"

# ---- packages
passed=0 failed=0
declare -A ready
publish() { # NAME SELF_CONTAINED SINGLE_FILE [PROPERTY]
    local target=$apps/$1
    if [[ ! -f $target/Loading || $here/Hello.cs -nt $target/Loading || $here/Loading.csproj -nt $target/Loading ]]; then
        rm -rf "$target"
        if ! dotnet publish "$here/Loading.csproj" -c Release -v q -nologo --disable-build-servers --self-contained "$2" -p:PublishSingleFile="$3" ${4:+"$4"} -o "$target" >"$out/publish.$1.log" 2>&1; then
            ((failed++))
            echo "FAILED publishing $1 (a self-contained package needs the runtime pack from NuGet):"
            tail -n 3 "$out/publish.$1.log"
            rm -rf "$target"
            return
        fi
    fi
    cp -f "$lib" "$target/$library"
    ready[$1]=1
}
# The same package with one more line in its runtimeconfig.json.
configure() { # NAME FROM KEY VALUE
    [[ -n ${ready[$2]:-} ]] || return
    rm -rf "$apps/$1"
    cp -al "$apps/$2" "$apps/$1"
    local text
    text=$(<"$apps/$2/Loading.runtimeconfig.json")
    rm "$apps/$1/Loading.runtimeconfig.json"
    printf '%s\n' "${text/'"configProperties": {'/"\"configProperties\": {
      \"$3\": \"$4\","}" >"$apps/$1/Loading.runtimeconfig.json"
    ready[$1]=1
}
publish framework false false
publish selfcontained true false
publish single-framework false true
publish single-selfcontained true true
for kind in framework selfcontained; do
    configure "$kind.path" "$kind" System.GC.Path "$apps/lib/$library"
    configure "$kind.name" "$kind" System.GC.Name "$library"
done
publish single-framework.path false true "-p:GCPath=$apps/lib/$library"
publish single-framework.name false true "-p:GCLibrary=$library"
publish single-selfcontained.path true true "-p:GCPath=$apps/lib/$library"
publish single-selfcontained.name true true "-p:GCLibrary=$library"

# ---- runs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check ID LABEL FOLDER ENVIRONMENT SERVER EXPECTED COMMAND…
check() {
    local number=$1 label=$2 folder=$3 environment=$4 server=$5 expected=$6 output code
    shift 6
    # shellcheck disable=SC2086
    output=$(cd "$folder" && env $environment timeout -k 5 30 "$@" "$library" 2>"$work/$number.err" </dev/null)
    code=$?
    local wanted="collector $expected"$'\n'"server $server"$'\n'"collections counted"$'\n'"objects whole"
    if ((code == 0)) && [[ $output == "$wanted" ]]; then
        echo 1 >"$work/$number.passed"
    else
        echo 1 >"$work/$number.failed"
        printf 'FAILED %s: exit code %s, said "%s"\n%s\n  repeat: cd %s && env %s %s %s\n' "$label" "$code" "${output//$'\n'/; }" \
            "$(head -3 "$work/$number.err")" "$folder" "$environment" "$*" "$library"
    fi
}

# refuse ID LABEL ENVIRONMENT: the program must not start.
refuse() {
    local code
    # shellcheck disable=SC2086
    env $3 timeout -k 5 30 dotnet "$apps/framework/Loading.dll" "$library" >"$work/$1.out" 2>&1 </dev/null
    code=$?
    if ((code == 0 || code == 124)); then
        echo 1 >"$work/$1.failed"
        printf 'FAILED %s: it started all the same (exit code %s)\n  repeat: env %s dotnet %s %s\n' "$2" "$code" "$3" "$apps/framework/Loading.dll" "$library"
    else
        echo 1 >"$work/$1.passed"
    fi
}

pool() { while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done; }

number=0
processors=$(nproc)
for package in framework framework-dll selfcontained single-framework single-selfcontained; do
    kind=${package%-dll}
    for way in none path relative name config.path config.name; do
        suffix=
        folder=$apps/lib
        expected=$library
        case $way in
            none) environment= expected=built-in ;;
            path) environment="DOTNET_GCPath=$apps/lib/$library" ;;
            relative) environment="DOTNET_GCPath=./$library" ;;
            name) environment="DOTNET_GCName=$library" ;;
            config.*) environment= suffix=.${way#config.} ;;
        esac
        [[ -n ${ready[$kind$suffix]:-} ]] || continue
        command=("$apps/$kind$suffix/Loading")
        [[ $package == framework-dll ]] && command=(dotnet "$apps/$kind$suffix/Loading.dll")
        for server in 0 1; do
            says=False
            ((server && processors > 1)) && says=True
            for extra in "" DOTNET_TieredCompilation=0 DOTNET_ReadyToRun=0 DOTNET_EnableWriteXorExecute=0; do
                label="$package, $way, gcServer=$server${extra:+, $extra}"
                [[ $label =~ $only ]] || continue
                pool
                ((number++))
                check $number "$label" "$folder" "$environment DOTNET_gcServer=$server $extra" "$says" "$expected" "${command[@]}" &
            done
        done
    done
done
refuse missing "a library that does not exist" "DOTNET_GCPath=$apps/lib/none.so"
refuse bare "a bare file name in DOTNET_GCPath" "DOTNET_GCPath=$library"
wait

for file in "$work"/*.passed; do ((passed++)); done
for file in "$work"/*.failed; do ((failed++)); done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
