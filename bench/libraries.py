"""Times all-reduces of NCCL and of torch's symmetric memory in CUDA graphs, as `gicc-launch bench --graph` times gicc's.

One process a GPU, started with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT set (bench/h200.sh does). A graph holds LAUNCHES
calls; a replay's time is taken by events on each device and divided by LAUNCHES. The device that starts last waits for nobody,
so the least time over the devices counts, and of all replays the median. Results are checked first. One JSON object a line:

    {"library": "nccl", "type": "f32", "bytes": 1024, "median": 17.3, "least": 17.1, "greatest": 18.0, "right": true}

Needs torch with CUDA; NVLink multicast is not used.
"""

import argparse
import json
import os
import statistics
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric

SIZES = [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20]
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def replays(call, launches, repeats, device):
    """Microseconds of one call in each of `repeats` replays, on this device."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    stream.synchronize()
    dist.barrier()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(launches):
            call()
    times = []
    for replay in range(repeats + 2):
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        if replay >= 2:
            times.append(begin.elapsed_time(end) * 1000 / launches)
    least = torch.tensor(times, dtype=torch.float64, device=device)
    dist.all_reduce(least, op=dist.ReduceOp.MIN)
    return least.tolist()


def tell(library, type_name, size, call, check, options, device):
    """Checks and times one way, and prints it on rank 0."""
    line = {"library": library, "type": type_name, "bytes": size}
    try:
        line["right"] = bool(check())
        launches = options.launches if size <= 1 << 20 else max(4, options.launches // (4 if size <= 16 << 20 else 12))
        times = replays(call, launches, options.repeats, device)
        line.update(median=statistics.median(times), least=min(times), greatest=max(times), graph=launches)
    except Exception as error:  # noqa: BLE001 - a way that a library lacks must not end the others
        line["error"] = str(error)[:200]
    if dist.get_rank() == 0:
        print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launches", type=int, default=50, help="calls in a graph, fewer from 16 MiB on")
    parser.add_argument("--repeats", type=int, default=11, help="replays that are counted")
    parser.add_argument("--sizes", type=lambda t: [int(s) for s in t.split(",")], default=SIZES, help="bytes, with commas")
    options = parser.parse_args()

    rank = int(os.environ["RANK"])
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    group, pes = dist.group.WORLD, dist.get_world_size()
    for size in options.sizes:
        for name, dtype in TYPES.items():
            count = size // dtype.itemsize
            # Small integers: every order of summation gives the same.
            own = torch.arange(count, device=device).remainder(8).to(dtype) + rank
            expected = own * pes + sum(range(pes)) - rank * pes
            plain = own.clone()

            def nccl(plain=plain):
                dist.all_reduce(plain)

            def nccl_right(plain=plain, own=own, expected=expected):
                plain.copy_(own)
                dist.all_reduce(plain)
                torch.cuda.synchronize()
                return torch.equal(plain, expected)

            tell("nccl", name, size, nccl, nccl_right, options, device)
            try:
                shared = symmetric.empty(count, dtype=dtype, device=device)
                symmetric.rendezvous(shared, group)
            except Exception as error:  # noqa: BLE001 - as above
                print(f"symmetric memory of {size} bytes: {error}", file=sys.stderr)
                continue

            def one_shot(shared=shared):
                return torch.ops.symm_mem.one_shot_all_reduce(shared, "sum", group.group_name)

            def two_shot(shared=shared):
                return torch.ops.symm_mem.two_shot_all_reduce_(shared, "sum", group.group_name)

            def right(call, shared=shared, own=own, expected=expected):
                shared.copy_(own)
                torch.cuda.synchronize()
                dist.barrier()
                result = call()
                torch.cuda.synchronize()
                return torch.equal(result, expected)

            tell("torch one_shot", name, size, one_shot, lambda: right(one_shot), options, device)
            tell("torch two_shot", name, size, two_shot, lambda: right(two_shot), options, device)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
