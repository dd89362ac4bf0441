#!/usr/bin/env bash
# The main job, told step by step: a CUDA C++ kernel that pushes data and signals a peer becomes PTX, is accepted by
# ptxas for each architecture, and runs on four simulated GPUs with the right numbers.
#
#   demo.sh FOLDER-OF-THE-BINARIES
set -euo pipefail
cd "$(dirname "$0")/.."
# Where NVIDIA's tools are found also when the binaries lie elsewhere.
export VIRTUAL_ENV=$PWD/.tools/venv
gicc=$1/gicc example=examples/01_put_signal out=build/demo
bold=$(tput bold 2>/dev/null || true) plain=$(tput sgr0 2>/dev/null || true)
[ -t 1 ] || bold='' plain=''

trap 'echo "The demo failed at the step above." >&2' ERR
step() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# Shows a command as a user would type it, then runs it.
show() { printf '  $ gicc'; printf ' %s' "$@"; printf '\n'; "$gicc" "$@" 2>&1 | sed 's/^/    /'; }

mkdir -p "$out"

step "1. The kernel: each PE pushes data into its neighbour's memory, signals, and waits for its own signal."
sed -n '/__global__/,$p' "$example/kernel.cu" | sed 's/^/    /'

step "2. It becomes PTX. No CUDA toolkit is needed, and no GPU."
show "$example/kernel.cu" -o "$out/kernel.ptx" --time-stages
printf '    What orders the data before the signal, in %s:\n' "$out/kernel.ptx"
grep -nE '^\s*(@\S+ )?(fence|membar|st\.release|st\.relaxed|red\.|ld\.acquire|ld\.relaxed)' "$out/kernel.ptx" | sed 's/^/    /'
if grep -n '\.extern.*__gicc_' "$out/kernel.ptx"; then
  echo "a function of gicc is left undefined in the PTX" >&2
  exit 1
fi

step "3. NVIDIA's assembler accepts it, for each architecture."
# The message that refuses another architecture lists those that there are.
architectures=$({ "$gicc" "$example/kernel.cu" --arch none 2>&1 || true; } | sed -n 's/.*possible values: \(.*\)\]/\1/p' | tr -d ,)
[ -n "$architectures" ]
for arch in $architectures; do
  show "$example/kernel.cu" --arch "$arch" -o "$out/kernel.$arch.cubin"
  printf '    %s: %s bytes of machine code\n' "$arch" "$(stat -c %s "$out/kernel.$arch.cubin")"
done

step "4. It runs on four simulated GPUs, on random data, and its numbers are compared with the reference's."
show run "$example" --pes 4 --runs 3

step "Done. The PTX lies in $out; \`gicc --help\` tells the rest."
