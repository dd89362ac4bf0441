#!/usr/bin/env bash
# Compiles every benchmark folder for a machine that has GPUs but neither gicc nor LLVM, and puts beside them what runs there:
# the launcher, the script of the measurements, the libraries' program and the report.
#
#   bench/prepare.sh OUT [FOLDER-OF-THE-BINARIES] [ARCH]
#
# OUT then goes to the machine as it is; there: OUT/h200.sh BASELINES RESULTS.
set -uo pipefail
[ $# -ge 1 ] && [ $# -le 3 ] || { sed -n '5p' "$0" | sed 's/^# */usage: /' >&2; exit 2; }
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 2
binaries=${2:-${CARGO_TARGET_DIR:-target}/release} arch=${3:-sm_90}
# Where NVIDIA's tools are found also when the binaries lie elsewhere.
export VIRTUAL_ENV=$PWD/.tools/venv
for binary in gicc gicc-launch; do
  [ -x "$binaries/$binary" ] || { echo "prepare: there is no $binaries/$binary: make build" >&2; exit 2; }
done

refused=()
for description in bench/*/launch.toml; do
  folder=$(dirname "$description")
  name=$(basename "$folder")
  rm -rf "${out:?}/$name"
  if "$binaries/gicc" "$folder" -o "$out/$name" --arch "$arch"; then
    # What the simulator runs is of no use there.
    rm -f "$out/$name"/kernel.so
    echo "prepare: $name"
  else
    refused+=("$name")
  fi
done
# Ends of channels that do not fit: they are loaded only.
for folder in lit-tests/run/Inputs/channel_ends/*/; do
  name=ends_$(basename "$folder")
  rm -rf "${out:?}/$name"
  if "$binaries/gicc" "$folder" -o "$out/$name" --arch "$arch"; then rm -f "$out/$name"/kernel.so; else refused+=("$name"); fi
done
cp "$binaries/gicc-launch" "$out/gicc-launch"
strip "$out/gicc-launch"
cp bench/h200.sh bench/libraries.py bench/report.py "$out/"
cp bench/packet_forms/packet_forms.cu bench/large_all_reduce/large_all_reduce.cu bench/one_shot_places/one_shot_places.cu \
  "$out/"
chmod +x "$out/h200.sh"
echo "prepare: $(du -sm "$out" | cut -f1) MB in $1"
if [ ${#refused[@]} -gt 0 ]; then
  echo "prepare: not compiled: ${refused[*]}" >&2
  exit 1
fi
