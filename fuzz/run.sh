#!/usr/bin/env bash
# Runs all fuzz targets, or those that are named, one after the other, for so many minutes in all:
#
#     fuzz/run.sh MINUTES [TARGET...]
#
# New inputs are kept in target/fuzz/corpus, what breaks a promise in target/fuzz/findings. A target goes on after a finding.
# At the end it prints a row for each target, as docs/fuzzing.md has them. `make fuzz` calls it. SANITIZER is that of cargo-fuzz:
# `none` builds and runs faster, and finds all but what unsafe code does.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
sanitizer=${SANITIZER:-address}
minutes=${1:?"expected the minutes"}
shift
if [ $# -gt 0 ]; then targets=("$@"); else mapfile -t targets < <(cd fuzz/fuzz_targets && printf '%s\n' *.rs | sed 's/\.rs$//'); fi

if ! $cargo +nightly --version >/dev/null 2>&1; then
    echo "fuzz: a nightly toolchain is needed: rustup toolchain install nightly" >&2
    exit 2
fi
$cargo fuzz --version >/dev/null 2>&1 || $cargo install cargo-fuzz --locked --version '^0.13'

# The optimised build of whole programs takes several times as long, and finds nothing more.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_OPT_LEVEL=1
export RUSTFLAGS="${RUSTFLAGS:-} -Ccodegen-units=16"
for target in "${targets[@]}"; do
    nice -n 19 $cargo +nightly fuzz build --fuzz-dir fuzz --target-dir target/fuzz --features libfuzzer --sanitizer "$sanitizer" "$target"
done

seconds=$((minutes * 60 / ${#targets[@]}))
[ "$seconds" -gt 0 ] || seconds=1
programs=target/fuzz/$(rustc -vV | sed -n 's/^host: //p')/release
findings=target/fuzz/findings
rows=()
for target in "${targets[@]}"; do
    corpus=target/fuzz/corpus/$target
    log=target/fuzz/$target.log
    mkdir -p "$corpus" "$findings/$target"
    case $target in
    graph) longest=1024 ;;
    *) longest=16384 ;;
    esac
    dictionary=fuzz/dictionaries/$target.dict
    options=(-fork=1 -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 -max_total_time="$seconds"
        -rss_limit_mb=3072 -malloc_limit_mb=1024 -timeout=60 -max_len="$longest"
        -artifact_prefix="$findings/$target/")
    [ -f "$dictionary" ] && options+=(-dict="$dictionary")
    echo "fuzz: $target for $seconds s, log in $log"
    # Blocks that print have the null device to print to; a finding does not end the run.
    ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 SUPERHET_LOG=off \
        nice -n 19 "$programs/$target" "${options[@]}" "$corpus" "fuzz/corpus/$target" >/dev/null 2>"$log" </dev/null || true
    ran=$(grep -o '^#[0-9]*' "$log" | tail -1 | tr -d '#') || ran=0
    covered=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2) || covered=0
    found=$(find "$findings/$target" -type f | wc -l)
    rows+=("| \`$target\` | $((seconds / 60)) min $((seconds % 60)) s | ${ran:-0} | ${covered:-0} | $found |")
done
echo
echo "| target | ran | executions | edges covered | inputs in findings |"
echo "|---|---|---|---|---|"
printf '%s\n' "${rows[@]}"
