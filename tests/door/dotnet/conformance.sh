#!/bin/bash
# Runs the conformance programs (tests/door/dotnet/conformance, one behaviour each; CONFORMANCE.md lists them) and compares their output,
# byte for byte, with that of the runtime's own collector.
#
#   conformance.sh --lib PATH/libgarner-dotnet.so [options]   Garner, against stock workstation as the reference
#   conformance.sh [options]                                  self-check of the programs: stock Server and libclrgc.so against stock workstation
#
#   --only REGEX      behaviours whose name matches (bash regular expression)
#   --but REGEX       none of those whose name matches
#   --matrix quick    gcServer 0,1 x 1,2,4 workers, ten behaviours a process (default)
#   --matrix full     the same with each behaviour in a process of its own, also without concurrent collection, tiering and precompiled
#                     code, and 100,000 threads
#   --stress OPTIONS  one more row: GARNER=OPTIONS (for instance stress_every=20,verify=both), with gcServer 0 and 1 by turns; may be given again
#   --both            each of these rows with gcServer 0 and with 1; so, too, with --matrix full
#   --scale N         workloads of the stress rows are divided by N (default 20)
#   --time-limit S    seconds a run may take (default 60, and 5 more for each further name in the process); then it is killed and has failed
#   --jobs N          runs at a time (default: one for each processor)
#   --no-build        do not look whether the programs are up to date
#   --write-table     write CONFORMANCE.md anew and end; every other run without --only checks that it is up to date
#
# A program whose memory has ended may end where nobody catches that: the runtime aborts then with the line "Out of memory.". Stock does so, too: with the tasks of api-oom-framework in 32 MB,
# 20 rounds, four of ten runs ended before the last. A reference has a second chance by the way it is made; so has every run that ends so, and a line "again: …" tells it.
# A group whose output differs is run again name by name, so that a failure names its behaviour; a group that fails while every single run
# passes is a failure too. Each failure prints one line, the first lines of the difference, and the command that repeats it.
# The last line is `N passed, N failed`; a test is one behaviour in one row.
set -u -o pipefail
shopt -s globstar nullglob
ulimit -c 0

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$(realpath -m "$here/../../../build/tests/dotnet/conformance")
dll=$out/bin/Conformance.dll

lib= only=. but='^$' matrix=quick jobs=$(nproc) scale=20 limit=60 build=1 write_table=0 both=0
stress=()
while (($#)); do
    case $1 in
        --lib) lib=$(realpath "$2") || exit 2; shift 2 ;;
        --only) only=$2; shift 2 ;;
        --but) but=$2; shift 2 ;;
        --matrix) matrix=$2; shift 2 ;;
        --jobs) jobs=$2; shift 2 ;;
        --stress) stress+=("$2"); shift 2 ;;
        --both) both=1; shift ;;
        --scale) scale=$2; shift 2 ;;
        --time-limit) limit=$2; shift 2 ;;
        --no-build) build=0; shift ;;
        --write-table) write_table=1; shift ;;
        *) echo "conformance.sh: unknown argument '$1'; the head of the file lists them" >&2; exit 2 ;;
    esac
done
[[ $matrix == quick || $matrix == full ]] || { echo "conformance.sh: --matrix is quick or full" >&2; exit 2; }
[[ -z $lib || -f $lib ]] || { echo "conformance.sh: no library $lib" >&2; exit 2; }
command -v dotnet >/dev/null || { echo "conformance.sh: no dotnet on the PATH" >&2; exit 2; }

# Nothing of the caller's runtime settings may reach a run, nor a diagnostics port that nobody uses.
for name in $(compgen -e); do
    case $name in DOTNET_GC* | DOTNET_gc* | DOTNET_Tiered* | DOTNET_TC_* | DOTNET_ReadyToRun | COMPlus_* | GARNER*) unset "$name" ;; esac
done
export DOTNET_EnableDiagnostics_IPC=0 DOTNET_DbgEnableMiniDump=0

if ((build)); then
    stale=0
    [[ -f $dll ]] || stale=1
    for source in "$here"/Directory.Build.props "$here"/conformance/**/*.cs "$here"/conformance/*.csproj; do
        [[ $source -nt $dll ]] && stale=1
    done
    if ((stale)); then
        mkdir -p "$out"
        dotnet build "$here/conformance/Conformance.csproj" -c Release -v q -nologo --disable-build-servers >"$out/build.log" 2>&1 \
            || { echo "conformance.sh: the programs do not build:"; tail -20 "$out/build.log"; exit 2; }
        touch "$dll"
    fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- behaviours: names[], with settings and exemption by name
declare -A settings exempt
names=()
while IFS=$'\t' read -r name _ setting note; do
    [[ $name =~ $only && ! $name =~ $but ]] || continue
    names+=("$name")
    settings[$name]=${setting:-}
    exempt[$name]=${note:-}
done < <(dotnet "$dll" list | tr '\t' '\037' | while IFS=$'\037' read -r a b c d; do printf '%s\t%s\t%s\t%s\n' "$a" "$b" "${c:- }" "$d"; done)
((${#names[@]})) || { echo "conformance.sh: no behaviour matches '$only'" >&2; exit 2; }
for name in "${names[@]}"; do settings[$name]=${settings[$name]# }; done

# ---- the table of behaviours: one row each, from the programs' own list and the file each one is in
table() {
    local -A file proves
    local source line name sentence
    for source in "$here"/conformance/**/*.cs; do
        while IFS= read -r line; do
            [[ $line == '[Behaviour("'* ]] || continue
            name=${line#*\(\"}
            file[${name%%\"*}]=${source#"$here"/conformance/}
            break
        done <"$source"
    done
    while IFS=$'\t' read -r name sentence _; do proves[$name]=$sentence; done < <(dotnet "$dll" list)
    cat <<END
# Conformance programs of the .NET door

One behaviour a row: an API or a rule of the runtime contract that a program can see. Each is a static class in a file of its own under
\`conformance/\`, prints the same lines on every collector, and says \`ok NAME\`. The head of each file says which rule it is and why it can
break in a moving collector. \`conformance.sh\` runs them on the runtime's own collector and on Garner and compares byte for byte;
\`conformance.sh --write-table\` writes this page from the programs.

**${#names[@]} behaviours.** A setting is an assignment in the environment that the behaviour's process is started with.

END
    local -A headings=([Allocation]="Allocation and object layout" [Barriers]="References between old and young (cards)" [Roots]="Roots"
        [Handles]="Handles, weak references, ephemerons" [Finalization]="Finalization" [SyncBlocks]="Locks and identity hashes" [Threads]="Threads"
        [Api]="The GC API, limits and events" [Settings]="Settings" [Libraries]="Libraries over the collector")
    local folder count rows
    for folder in Allocation Barriers Roots Handles Finalization SyncBlocks Threads Api Settings Libraries; do
        count=0 rows=
        for name in "${names[@]}"; do
            [[ ${file[$name]:-} == "$folder"/* ]] || continue
            ((count++))
            rows+="| \`$name\` | ${proves[$name]//|/\\|}${settings[$name]:+ (\`${settings[$name]}\`)} | \`${file[$name]}\` |"$'\n'
        done
        printf '## %s (%d)\n| name | what it proves | file |\n|---|---|---|\n%s\n' "${headings[$folder]}" "$count" "$rows"
    done
    cat <<END
## What no row shows
| rule | why |
|---|---|
| a no-GC region larger than the address space | stock itself answers differently with regions, with segments and without concurrent collection; \`api-nogc-too-large\` shows the refusal under a hard limit |
| a memory limit of a container | needs a control group of its own: a matter of the test that starts the process, not of a program |
| \`MemoryFailPoint\` refusing | on Linux the runtime lets every amount pass |
| handles of the kinds VARIABLE, ASYNCPINNED, SIZEDREF, WEAK_NATIVE_COM, CROSSREFERENCE | the runtime makes none on linux-x64 |
END
}
if ((write_table)); then
    table >"$here/CONFORMANCE.md"
    echo "${#names[@]} behaviours in CONFORMANCE.md"
    exit 0
fi
if [[ $only == . && $but == '^$' ]] && ! diff -q <(table) "$here/CONFORMANCE.md" >/dev/null 2>&1; then
    echo "conformance.sh: CONFORMANCE.md is not what the programs say; conformance.sh --write-table writes it" >&2
    table_stale=1
fi

# ---- rows: label | environment | arguments | collector that must be in use
rows=()
if [[ -n $lib ]]; then
    collector=${lib##*/}
    for server in 0 1; do
        for workers in 1 2 4; do
            rows+=("gcServer=$server,workers=$workers|DOTNET_GCPath=$lib DOTNET_gcServer=$server GARNER=workers=$workers||$collector")
        done
    done
    if [[ $matrix == full ]]; then
        base="DOTNET_GCPath=$lib GARNER=workers=2"
        rows+=("gcConcurrent=0|$base DOTNET_gcConcurrent=0||$collector"
            "TieredCompilation=0|$base DOTNET_TieredCompilation=0||$collector"
            "ReadyToRun=0|$base DOTNET_ReadyToRun=0||$collector")
    fi
    [[ $matrix != full ]] || both=1
    for i in "${!stress[@]}"; do
        options=${stress[i]} servers=$((i % 2))
        ((both)) && servers="0 1"
        for server in $servers; do
            rows+=("gcServer=$server,$options|DOTNET_GCPath=$lib DOTNET_gcServer=$server GARNER=$options|scale=$scale|$collector")
        done
    done
else
    rows+=("stock,gcConcurrent=0|DOTNET_gcConcurrent=0||libcoreclr.so"
        "stock,gcServer=1|DOTNET_gcServer=1||libcoreclr.so"
        "libclrgc.so,gcServer=0|DOTNET_GCName=libclrgc.so||libclrgc.so"
        "libclrgc.so,gcServer=1|DOTNET_GCName=libclrgc.so DOTNET_gcServer=1||libclrgc.so")
    if [[ $matrix == full ]]; then
        rows+=("stock,TieredCompilation=0|DOTNET_TieredCompilation=0||libcoreclr.so"
            "stock,ReadyToRun=0|DOTNET_ReadyToRun=0||libcoreclr.so")
    fi
    for options in "${stress[@]}"; do
        rows+=("stock,scale=$scale||scale=$scale|libcoreclr.so")
        break
    done
fi

# ---- groups: names with the same settings, ten to a process (one with --matrix full)
size=10
[[ $matrix == full ]] && size=1
declare -A open_group
groups=()
for name in "${names[@]}"; do
    key="${settings[$name]}/${exempt[$name]}"
    index=${open_group[$key]:-}
    if [[ -z $index ]]; then
        index=${#groups[@]}
        open_group[$key]=$index
        groups+=("$name")
    else
        groups[index]+=" $name"
    fi
    set -- ${groups[index]}
    (($# >= size)) && unset "open_group[$key]"
done
set --

# run DIR ENVIRONMENT ARGUMENTS NAME…: one process; its output is cut into DIR/NAME at the lines `ok NAME` and `failed NAME`.
# Sets run_code, run_pid, run_seconds, run_limit.
run() {
    local dir=$1 environment=$2 arguments=$3
    shift 3
    mkdir -p "$dir"
    local started=$SECONDS
    run_limit=$((limit + 5 * ($# - 1)))
    # shellcheck disable=SC2086
    timeout -k 5 "$run_limit" bash -c 'echo $$ >"$0/pid"; exec "$@"' "$dir" \
        env $environment ${settings[$1]} dotnet "$dll" $arguments "$@" >"$dir/out" 2>"$dir/err" </dev/null
    run_code=$?
    run_seconds=$((SECONDS - started))
    run_pid=$(<"$dir/pid")
    local line text=
    while IFS= read -r line || [[ -n $line ]]; do
        text+=$line$'\n'
        if [[ $line == "ok "* || $line == "failed "* ]]; then
            printf '%s' "$text" >"$dir/${line#* }"
            text=
        fi
    done <"$dir/out"
}

# say LABEL NAMES WHAT ENVIRONMENT ARGUMENTS DIR REFERENCE [SHOWN]: one failure, printed in one piece, with the difference of SHOWN.
say() {
    local label=$1 what=$3 dir=$6 reference=$7 text
    local first=${2%% *}
    local shown=${8:-$first}
    text="FAILED [$label] $2: $what"$'\n'
    if [[ -f $dir/$shown && -f $reference ]]; then
        text+=$(diff "$reference" "$dir/$shown" | head -8)$'\n'
    elif [[ -s $dir/out ]]; then
        text+=$(tail -3 "$dir/out")$'\n'
    fi
    [[ -s $dir/err ]] && text+=$(head -5 "$dir/err")$'\n'
    text+="  repeat: env $4 ${settings[$first]} timeout $limit dotnet $dll $5 $2"
    printf '%s\n' "$text"
}

why() {
    if ((run_code == 124 || (run_code == 137 && run_seconds >= run_limit))); then
        echo "hang: pid $run_pid was killed after $run_limit s (exit code $run_code)"
    elif ((run_code > 128)); then
        echo "crash: pid $run_pid ended by signal $((run_code - 128)) (exit code $run_code)"
    elif ((run_code == 0)); then
        echo "other output than stock"
    else
        echo "exit code $run_code (pid $run_pid)"
    fi
}

# test_group DIR LABEL ENVIRONMENT ARGUMENTS REFERENCES NAME…: compares a group, single runs where it differs. Counts go to DIR.count.
test_group() {
    local dir=$1 label=$2 environment=$3 arguments=$4 references=$5 passed=0 failed=0 name
    shift 5
    run "$dir" "$environment" "$arguments" "$@"
    if (($# == 1 && run_code == 134)) && grep -qx 'Out of memory.' "$dir/err"; then
        echo "again: [$label] $1: its memory ended where nobody caught it"
        run "$dir" "$environment" "$arguments" "$@"
    fi
    local code=$run_code differ=() reason
    reason=$(why)
    for name in "$@"; do
        cmp -s "$references/$name" "$dir/$name" || differ+=("$name")
    done
    if ((code == 0 && ${#differ[@]} == 0)); then
        passed=$#
    elif (($# == 1)); then
        failed=1
        say "$label" "$1" "$reason" "$environment" "$arguments" "$dir" "$references/$1"
    else
        for name in "$@"; do
            run "$dir.$name" "$environment" "$arguments" "$name"
            if ((run_code == 0)) && cmp -s "$references/$name" "$dir.$name/$name"; then
                ((passed++))
            else
                ((failed++))
                say "$label" "$name" "$(why)" "$environment" "$arguments" "$dir.$name" "$references/$name"
            fi
        done
        if ((failed == 0)); then
            ((passed--, failed++))
            say "$label" "$*" "$reason, in one process only (differing or missing: ${differ[*]:-none}); each by itself passes" \
                "$environment" "$arguments" "$dir" "$references/${differ[0]:-}" "${differ[0]:-}"
        fi
    fi
    echo "$passed $failed" >"$dir.count"
}

# reference DIR ARGUMENTS NAME…: stock workstation output. A name that fails there is reported and left out.
reference() {
    local dir=$1 arguments=$2 name
    shift 2
    run "$dir" "" "$arguments" "$@"
    local code=$run_code
    for name in "$@"; do
        if ((code == 0)) && [[ -f $dir/$name && $(tail -n 1 "$dir/$name") == "ok $name" ]]; then
            cp "$dir/$name" "$dir/../$name"
            continue
        fi
        run "$dir.$name" "" "$arguments" "$name"
        if ((run_code == 0)) && [[ -f $dir.$name/$name ]]; then
            cp "$dir.$name/$name" "$dir/../$name"
        else
            cp "$dir.$name/out" "$dir.$name/$name"
            say "reference" "$name" "does not hold on stock: $(why)" "" "$arguments" "$dir.$name" /dev/null
        fi
    done
}

pool() { while (($(jobs -rp | wc -l) >= jobs)); do wait -n; done; }

begin=$SECONDS
declare -A references
for row in "${rows[@]}"; do
    IFS='|' read -r _ _ arguments _ <<<"$row"
    [[ -n ${references[$arguments/]:-} ]] && continue
    references[$arguments/]=$work/reference.$arguments
    mkdir -p "$work/reference.$arguments"
    for index in "${!groups[@]}"; do
        pool
        # shellcheck disable=SC2086
        reference "$work/reference.$arguments/group$index" "$arguments" ${groups[index]} &
    done
done
wait

passed=0 failed=${table_stale:-0}
for arguments in "${!references[@]}"; do
    for name in "${names[@]}"; do
        [[ -f ${references[$arguments]}/$name ]] || ((failed++))
    done
done

number=0
for row in "${rows[@]}"; do
    IFS='|' read -r label environment arguments collector <<<"$row"
    # shellcheck disable=SC2086
    in_use=$(env $environment timeout "$limit" dotnet "$dll" collector 2>&1)
    if [[ $in_use != "$collector" ]]; then
        ((failed++))
        printf 'FAILED [%s] the collector in use is not %s: %s\n  repeat: env %s dotnet %s collector\n' "$label" "$collector" "${in_use:-nothing was said}" "$environment" "$dll"
        continue
    fi
    ((number++))
    for index in "${!groups[@]}"; do
        set --
        for name in ${groups[index]}; do
            [[ -f ${references[$arguments/]}/$name ]] || continue
            [[ $collector == libclrgc.so && ${exempt[$name]} == not-on-segments ]] && continue
            set -- "$@" "$name"
        done
        (($#)) || continue
        pool
        test_group "$work/row$number.$index" "$label" "$environment" "$arguments" "${references[$arguments/]}" "$@" &
    done
done
wait

# A hundred thousand threads: one run for each kind of heap, outside the usual time limit.
if [[ $matrix == full && thread-churn =~ $only ]]; then
    limit=600
    run "$work/churn.reference" "" "count=100000" thread-churn
    for server in 0 1; do
        environment="${lib:+DOTNET_GCPath=$lib }DOTNET_gcServer=$server"
        test_group "$work/churn.$server" "gcServer=$server,100000 threads" "$environment" "count=100000" "$work/churn.reference" thread-churn
    done
fi

for count in "$work"/*.count; do
    read -r good bad <"$count"
    ((passed += good, failed += bad))
done
echo "${#names[@]} behaviours, ${#rows[@]} rows, $((SECONDS - begin)) s"
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
