#!/usr/bin/env bash
# Everything that must hold: format, lints, unit and property tests, documentation tests, lit tests. Ends with one line
# of counts. What this machine cannot test is said, never silently left out.
#
#   test.sh FOLDER-OF-THE-BINARIES
set -uo pipefail
cd "$(dirname "$0")/.."
# Where NVIDIA's tools are found also when the binaries lie elsewhere.
export VIRTUAL_ENV=$PWD/.tools/venv
binaries=$1
log=build/test.log
mkdir -p build
: >"$log"
failed=() passed=0 broken=0 skipped=0

# Runs a step, shows its output, and remembers whether it failed.
step() {
  local name=$1
  shift
  printf '\n== %s\n' "$name"
  local start=$SECONDS
  "$@" 2>&1 | tee "$log.step"
  local status=${PIPESTATUS[0]}
  cat "$log.step" >>"$log"
  [ "$status" = 0 ] || failed+=("$name")
  printf '== %s: %s, %s s\n' "$name" "$([ "$status" = 0 ] && echo right || echo FAILED)" "$((SECONDS - start))"
}

# Adds up lines such as "test result: ok. 10 passed; 0 failed; 1 ignored".
count_cargo() {
  local p f i
  read -r p f i < <(sed -nE 's/^test result: .* ([0-9]+) passed; ([0-9]+) failed; ([0-9]+) ignored.*/\1 \2 \3/p' "$log.step" |
    awk '{p += $1; f += $2; i += $3} END {print p + 0, f + 0, i + 0}')
  passed=$((passed + p)) broken=$((broken + f)) skipped=$((skipped + i))
}

# Adds up lit's summary.
count_lit() {
  local n
  n() { sed -nE "s/^ *($1) *: *([0-9]+).*/\2/p" "$log.step" | awk '{s += $1} END {print s + 0}'; }
  passed=$((passed + $(n 'Passed|Expectedly Failed')))
  broken=$((broken + $(n 'Failed|Unexpectedly Passed|Timed Out|Unresolved')))
  skipped=$((skipped + $(n 'Unsupported|Skipped')))
}

step "format" cargo fmt --all --check
step "lints" cargo clippy --release --workspace --all-targets --quiet -- -D warnings
step "unit tests" cargo test --release --workspace --no-fail-fast --quiet
count_cargo
step "lit tests" env GICC_BIN="$binaries" /usr/lib/llvm-22/bin/lit --order=smart --succinct --verbose lit-tests
count_lit

echo
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
  echo "skipped: no GPU (no NVIDIA driver here): nothing ran on a real GPU; docs/results/ holds what was measured on some"
fi
if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
fi
echo "$passed passed, $broken failed, $skipped skipped"
[ ${#failed[@]} -eq 0 ]
