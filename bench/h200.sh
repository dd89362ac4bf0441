#!/usr/bin/env bash
# Measures, in one run on a machine with two GPUs, what is compared with each other: rounds between two GPUs by hand, with
# NVSHMEM and with gicc's channels; all-reduce inside a kernel by hand and with gicc; all-reduce as a kernel of its own in a CUDA
# graph with NCCL, torch and gicc. Under eight minutes on two H200.
#
#   h200.sh BASELINES RESULTS [STEP...]
#
# This script lies in the folder that bench/prepare.sh made. BASELINES holds rounds.cu, nvshmem_rounds.cu and
# nccl_and_symm_mem.py; what is not there is left out and said. RESULTS gets one file for each step, the tables (report.md) and a
# log. Steps, all of them if none is named: ends by_hand nvshmem collectives libraries rounds places all_reduce graph; and, if
# named, large (large_all_reduce.cu). `ends` measures nothing: modules whose channels disagree must be refused at load. `places`
# is short rounds with the reply at eight places; `all_reduce` has its packets at several places, too. Needs nvcc, Python with
# torch, and NVSHMEM (found in Python's packages, or NVSHMEM_HOME). NVLink multicast stays off.
set -uo pipefail
[ $# -ge 2 ] || { sed -n '6p' "$0" | sed 's/^# */usage: /' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2" || exit 2
baselines=$(cd "$1" 2>/dev/null && pwd) || { echo "h200: there is no folder $1" >&2; exit 2; }
results=$(cd "$2" && pwd)
shift 2
steps=" ${*:-ends by_hand nvshmem collectives libraries rounds places all_reduce graph} "
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
log=$results/log.txt
: >"$log"
wanted() { [[ $steps == *" $1 "* ]]; }
# What an earlier run left of these steps.
forget() { if wanted "$1"; then rm -f "$results/$2"; fi; }
forget by_hand rounds.txt
forget large large.txt
forget nvshmem nvshmem_rounds.txt
forget rounds rounds.jsonl
forget places places.jsonl
forget ends ends.txt
forget all_reduce all_reduce.jsonl
forget all_reduce one_shot_places.txt
forget graph all_reduce_graph.jsonl
forget libraries libraries.jsonl
forget collectives nccl_and_symm_mem.txt
rm -f "$results/report.md"

export CUDA_MODULE_LOADING=EAGER PYTHONUNBUFFERED=1
export NCCL_NVLS_ENABLE=0 TORCH_SYMM_MEM_DISABLE_MULTICAST=1 NVSHMEM_DISABLE_NVLS=1

failed=()
say() { printf '[%3d s] %s\n' "$SECONDS" "$*" | tee -a "$log"; }
# Runs a step within so many seconds. Its output goes to a file of RESULTS, what it says besides to the log.
step() {
  local name=$1 file=$2 bound=$3 began=$SECONDS status=0
  shift 3
  timeout -k 5 "$bound" "$@" </dev/null >>"$results/$file" 2>>"$log" || status=$?
  if [ "$status" = 0 ]; then
    say "$name: $((SECONDS - began)) s, $(wc -l <"$results/$file") lines in $file"
  else
    failed+=("$name")
    say "$name FAILED with status $status after $((SECONDS - began)) s (124: it took too long)"
    tail -5 "$log"
  fi
  return "$status"
}
# One process a GPU, as torch wants them.
on_both() {
  local pids=() rank status=0 port=$((20000 + RANDOM % 20000))
  for rank in 0 1; do
    RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$port python3 "$@" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
  return "$status"
}
export -f on_both
# The same with NVSHMEM: rank 0 prints.
nvshmem_on_both() {
  rm -f /tmp/uid /tmp/uid.tmp
  local status=0
  "$1" 0 & local first=$!
  "$1" 1 & local second=$!
  wait "$first" || status=$?
  wait "$second" || status=$?
  return "$status"
}
export -f nvshmem_on_both

{
  date -u
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader
  nvcc --version | tail -2
  python3 -c 'import torch; print("torch", torch.__version__, "NCCL", torch.cuda.nccl.version())'
} >>"$log" 2>&1

# Compiled side by side.
nvshmem=${NVSHMEM_HOME:-$(python3 -c 'import importlib.util as u; print(list(u.find_spec("nvidia.nvshmem").submodule_search_locations)[0])' 2>>"$log")}
if wanted by_hand && [ -f "$baselines/rounds.cu" ]; then
  nvcc -O3 -std=c++17 -arch=sm_90 -o "$build/rounds" "$baselines/rounds.cu" >>"$log" 2>&1 &
fi
if wanted all_reduce && [ -f "$here/one_shot_places.cu" ]; then
  nvcc -O3 -std=c++17 -arch=sm_90 -o "$build/one_shot_places" "$here/one_shot_places.cu" >>"$log" 2>&1 &
fi
if wanted large && [ -f "$here/large_all_reduce.cu" ]; then
  nvcc -O3 -std=c++17 -arch=sm_90 -o "$build/large" "$here/large_all_reduce.cu" >>"$log" 2>&1 &
fi
if wanted nvshmem && [ -f "$baselines/nvshmem_rounds.cu" ] && [ -n "$nvshmem" ]; then
  host=$(find "$nvshmem/lib" -name 'libnvshmem_host.so*' | sort | head -1)
  nvcc -O3 -std=c++17 -arch=sm_90 -rdc=true -I "$nvshmem/include" -o "$build/nvshmem_rounds" "$baselines/nvshmem_rounds.cu" \
    "$nvshmem/lib/libnvshmem_device.a" -Xlinker "$host" -Xlinker -rpath -Xlinker "$nvshmem/lib" -lcuda >>"$log" 2>&1 &
fi
wait
say "compiled: $(ls "$build" | tr '\n' ' ')"

if wanted by_hand; then
  if [ -x "$build/rounds" ]; then step by_hand rounds.txt 90 "$build/rounds"; else say "by_hand left out: not compiled"; fi
fi
if wanted large; then
  if [ -x "$build/large" ]; then step large large.txt 60 "$build/large"; else say "large left out: not compiled"; fi
fi
if wanted nvshmem; then
  if [ -x "$build/nvshmem_rounds" ]; then
    if ! step nvshmem nvshmem_rounds.txt 60 bash -c 'nvshmem_on_both "$1"' - "$build/nvshmem_rounds"; then
      # Where the machine's only interface is the loopback.
      : >"$results/nvshmem_rounds.txt"
      NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME=lo step "nvshmem over the loopback" nvshmem_rounds.txt 60 \
        bash -c 'nvshmem_on_both "$1"' - "$build/nvshmem_rounds"
    fi
  else
    say "nvshmem left out: not compiled (see log.txt; NVSHMEM_HOME names its folder)"
  fi
fi

launch="$here/gicc-launch"
# Two modules on two GPUs: ends that agree load, others are refused with both places (exit code 2).
ends() {
  "$1" load "$2/ends_put" "$2/ends_wait" || return 1
  local said status=0
  said=$("$1" load "$2/ends_put" "$2/ends_wait_two_slots" 2>&1) || status=$?
  printf '%s\n' "$said"
  [ "$status" = 2 ] && [[ $said == *'the ends of channel `halo` disagree'*'which was loaded before'* ]]
}
export -f ends
wanted ends && step ends ends.txt 60 bash -c 'ends "$@"' - "$launch" "$here"
wanted rounds && step rounds rounds.jsonl 90 "$launch" bench "$here/channel_rounds" --json --timeout 2
wanted places && step places places.jsonl 60 "$launch" bench "$here/channel_rounds" --json --timeout 2 \
  --sweep bytes=16,1024,4096 --sweep blocks=1 --sweep place=0,1,2,3,4,5,6,7 \
  --kernel by_hand_12 --kernel by_hand_8 --kernel ll_8 --kernel ll_12 --kernel automatic
if wanted all_reduce; then
  if [ -x "$build/one_shot_places" ]; then step "all_reduce by hand" one_shot_places.txt 60 "$build/one_shot_places"; fi
  # Loaded several times, so that packets and buffers lie at as many places.
  copies=()
  for place in 1 2 3 4 5; do
    cp -r "$here/all_reduce" "$build/all_reduce_$place"
    copies+=("$build/all_reduce_$place")
  done
  step all_reduce all_reduce.jsonl 90 "$launch" bench "${copies[@]}" --json --timeout 2 --repeats 5 \
    --sweep bytes=1024,4096,16384,65536,262144,1048576 --sweep blocks=1,8,32,64
fi
if wanted graph; then
  # Grids that may be best at a size.
  for type in f32 bf16; do
    while read -r sizes blocks launches ways; do
      kernels=()
      for way in $ways; do kernels+=(--kernel "${type}_$way"); done
      step "graph $type $sizes" all_reduce_graph.jsonl 90 "$launch" bench "$here/all_reduce_graph_$type" --json --timeout 2 \
        --graph "$launches" --sweep "bytes=$sizes" --sweep "blocks=$blocks" "${kernels[@]}"
    done <<'GRIDS'
1024,4096 1,2,4 50 automatic one_shot two_shot stretches
16384 1,4,8,16 50 automatic one_shot two_shot stretches
65536 4,8,16,32 50 automatic one_shot two_shot stretches
262144 16,32,64,128 50 automatic one_shot two_shot stretches
1048576 32,64,128 50 automatic one_shot two_shot stretches
16777216 64,128,132 12 automatic two_shot stretches
268435456 128,132 4 automatic stretches
GRIDS
  done
fi
if wanted libraries; then step libraries libraries.jsonl 120 bash -c 'on_both "$@"' - "$here/libraries.py"; fi
if wanted collectives; then
  if [ -f "$baselines/nccl_and_symm_mem.py" ]; then
    step collectives nccl_and_symm_mem.txt 90 bash -c 'on_both "$@"' - "$baselines/nccl_and_symm_mem.py"
  else
    say "collectives left out: $baselines has no nccl_and_symm_mem.py"
  fi
fi

step report report.md 20 python3 "$here/report.py" "$results"
cat "$results/report.md"
if [ ${#failed[@]} -gt 0 ]; then
  say "failed: ${failed[*]}"
  exit 1
fi
