"""Turns what bench/h200.sh measured into tables with ratios, and says which targets hold.

    report.py RESULTS            Markdown on standard output

RESULTS holds what there is of: rounds.txt, nvshmem_rounds.txt, nccl_and_symm_mem.txt (of the programs by hand), libraries.jsonl
(bench/libraries.py), one_shot_places.txt, rounds.jsonl, places.jsonl, all_reduce.jsonl, all_reduce_graph.jsonl (gicc-launch
bench --json), large.txt. What is missing is left out, and targets that need it are "not measured". A ratio above 1 says that
gicc is faster. Standard library only.
"""

import json
import os
import re
import statistics
import sys

ALLOWED = 1.05  # what "within 5%" allows: ours over theirs
BY_HAND = ("simple", "ll")  # modes of rounds.txt that are right; the others leave ordering out or have too much of it
LL_LIMIT = 256 << 10
NVSHMEM_LIMIT = 4 << 10
NVSHMEM_GAIN = 1.5


class Malformed(Exception):
    """A line that is in no known form."""


def size_name(size):
    """1024 as 1 K."""
    for unit, name in ((1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return str(size)


def lines(folder, name):
    """The lines of a file with their places; none where there is no such file."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        return [(f"{name}:{number}", line.strip()) for number, line in enumerate(file, 1) if line.strip()]


def number(text, where):
    try:
        return float(text)
    except ValueError as error:
        raise Malformed(f"{where}: `{text}` is no number") from error


def table_of(folder, name, pattern, key):
    """Times in microseconds by what `key` makes of a match; other lines are of no interest here."""
    found = {}
    for where, line in lines(folder, name):
        match = re.search(pattern, line)
        if match:
            found[key(match)] = number(match["us"], where)
    return found


US = r"us=(?P<us>\S+)"
PLACE = rf"nb=(?P<blocks>\d+)\s+bytes=(?P<bytes>\d+)\s+{US}"


def place(match):
    return int(match["bytes"]), int(match["blocks"])


def rounds_by_hand(folder):
    """(mode, bytes, blocks) to microseconds."""
    pattern = rf"^round (?P<mode>\S+)\s+{PLACE}"
    return table_of(folder, "rounds.txt", pattern, lambda m: (m["mode"], *place(m)))


def all_reduce_by_hand(folder):
    return table_of(folder, "rounds.txt", rf"^all-reduce one-shot ll {PLACE}", place)


def rounds_of_nvshmem(folder):
    return table_of(folder, "nvshmem_rounds.txt", rf"^nvshmem round put_signal_block {PLACE}", place)


def collectives(folder):
    """The program by hand: (name, bytes) to microseconds."""
    found = {}
    for where, line in lines(folder, "nccl_and_symm_mem.txt"):
        match = re.match(r"nccl allreduce bytes=(\d+) graph us=(\S+) eager us=(\S+)", line)
        if not match:
            continue
        size = int(match[1])
        found["NCCL (graph)", size] = number(match[2], where)
        found["NCCL (eager)", size] = number(match[3], where)
        match = re.search(r"symm one_shot us=(\S+) two_shot us=(\S+)", line)
        if match:
            found["torch one_shot", size] = number(match[1], where)
            found["torch two_shot", size] = number(match[2], where)
    return found


def json_lines(folder, name):
    for where, line in lines(folder, name):
        try:
            yield where, json.loads(line)
        except json.JSONDecodeError as error:
            raise Malformed(f"{where}: {error}") from error


def of_gicc(folder, name):
    """gicc-launch's rows: (kernel, bytes, blocks) to microseconds; and kernels whose results were wrong, with their places."""
    found, wrong = {}, []
    for where, row in json_lines(folder, name):
        try:
            size, blocks = row["parameters"]["bytes"], row["parameters"]["blocks"]
            for time in row["microseconds"]:
                if time.get("right") is False:
                    wrong.append(f"{time['kernel']} with {blocks} blocks at {size_name(size)} ({where})")
                    continue
                found[time["kernel"], size, blocks] = time["median"]
        except (KeyError, TypeError) as error:
            raise Malformed(f"{where}: no row of gicc-launch ({error!r})") from error
    return found, wrong


def of_libraries(folder):
    """(library, type, bytes) to microseconds, and what went wrong."""
    found, wrong = {}, []
    for where, row in json_lines(folder, "libraries.jsonl"):
        try:
            name = f"{row['library']} {row['type']} at {size_name(row['bytes'])} ({where})"
            if "error" in row or not row.get("right", False):
                wrong.append(f"{name}: {row.get('error', 'wrong results')}")
            else:
                found[row["library"], row["type"], row["bytes"]] = row["median"]
        except KeyError as error:
            raise Malformed(f"{where}: no row of libraries.py ({error!r})") from error
    return found, wrong


def least(pairs):
    """The least of (value, label) pairs; none where there are none."""
    pairs = [pair for pair in pairs if pair[0] is not None]
    return min(pairs) if pairs else None


def cell(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def ratio(theirs, ours):
    return None if theirs is None or ours is None else theirs / ours


def table(header, rows):
    """A Markdown table."""
    return ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]] + [""]


class Targets:
    """What must be seen: each with what was looked at and where it failed."""

    def __init__(self):
        self.results = []

    def judge(self, what, cases):
        """`cases`: (place, measure, limit, whether the measure may not be above the limit)."""
        failing = [(p, m, l) for p, m, l, below in cases if (m > l if below else m < l)]
        if not cases:
            self.results.append(("not measured", what, ""))
        elif failing:
            shown = "; ".join(f"{p}: {m:.3f}" for p, m, _ in failing[:6])
            more = f"; and {len(failing) - 6} more" if len(failing) > 6 else ""
            self.results.append(("DOES NOT HOLD", what, f"{len(failing)} of {len(cases)}: {shown}{more}"))
        else:
            worst = max if cases[0][3] else min
            at = worst(cases, key=lambda case: case[1])
            self.results.append(("holds", what, f"{len(cases)} cases, tightest {at[1]:.3f} at {at[0]}"))

    def text(self):
        return table(["target", "outcome", "where"], [[what, outcome, where] for outcome, what, where in self.results])


def is_ll(kernel):
    return kernel.startswith("ll")


def rounds(folder, out, targets):
    by_hand, nvshmem = rounds_by_hand(folder), rounds_of_nvshmem(folder)
    ours, wrong = of_gicc(folder, "rounds.jsonl")
    kernels = sorted({kernel for kernel, _, _ in ours if not kernel.startswith("by_hand")})
    here = sorted({kernel for kernel, _, _ in ours if kernel.startswith("by_hand")})
    modes = [mode for mode in BY_HAND if any(m == mode for m, _, _ in by_hand)]
    places = sorted({key[1:] for key in by_hand} | {key[1:] for key in ours} | set(nvshmem))
    sizes, all_blocks = sorted({p[0] for p in places}), sorted({p[1] for p in places})

    out += ["## Rounds, microseconds", "", "`by_hand_*` are kernels of the same file as gicc's, compiled by the same compiler.", ""]
    header = ["bytes", "blocks", *[f"hand: {m}" for m in modes], "NVSHMEM", *kernels, *here]
    rows = []
    for size, blocks in places:
        at = [by_hand.get((m, size, blocks)) for m in modes] + [nvshmem.get((size, blocks))]
        at += [ours.get((k, size, blocks)) for k in kernels + here]
        rows.append([size_name(size), str(blocks), *[cell(v) for v in at]])
    out += table(header, rows)

    def best(times, names, size):
        return least((times.get((n, size, b)), f"{n}, {b} blocks") for n in names for b in all_blocks)

    out += ["### The best of each at a size", ""]
    header = ["bytes", "best by hand", "best by hand, 12 + 4 too", "NVSHMEM", "gicc ll", "gicc automatic", "ll ÷ by hand",
              "ll ÷ by hand, 12 + 4 too", "NVSHMEM ÷ ll", "NVSHMEM ÷ automatic"]
    rows, within, gain, never, alike = [], [], [], [], []
    for size in sizes:
        hand = best(by_hand, modes, size)
        wider = least(p for p in (hand, best(ours, here, size)) if p)
        theirs = least((nvshmem.get((size, b)), f"{b} blocks") for b in all_blocks)
        ll = best(ours, [k for k in kernels if is_ll(k)], size)
        automatic = best(ours, ["automatic"], size)
        value = lambda pair: pair[0] if pair else None  # noqa: E731
        show = lambda pair: f"{pair[0]:.2f} ({pair[1]})" if pair else "–"  # noqa: E731
        over = ratio(value(ll), value(hand))
        rows.append([size_name(size), *[show(p) for p in (hand, wider, theirs, ll, automatic)],
                     cell(over, 3), cell(ratio(value(ll), value(wider)), 3), cell(ratio(value(theirs), value(ll))),
                     cell(ratio(value(theirs), value(automatic)))])
        if over is not None and size <= LL_LIMIT:
            within.append((size_name(size), over, ALLOWED, True))
        if theirs and ll and size <= NVSHMEM_LIMIT:
            gain.append((size_name(size), theirs[0] / ll[0], NVSHMEM_GAIN, False))
        if theirs and automatic:
            never.append((size_name(size), theirs[0] / automatic[0], 1.0, False))
    out += table(header, rows)
    for (size, blocks), time in sorted(nvshmem.items()):
        mine = ours.get(("automatic", size, blocks))
        if mine is not None:
            alike.append((f"{size_name(size)}, {blocks} blocks", time / mine, 1.0, False))
    targets.judge("rounds with `ll` within 5% of the best by hand, up to 256 KB (ll ÷ by hand, best blocks of each)", within)
    targets.judge("rounds with `ll` at least 1.5 times as fast as NVSHMEM, up to 4 KB", gain)
    targets.judge("the compiler's choice never slower than NVSHMEM at any size (NVSHMEM ÷ automatic, best blocks of each)", never)
    targets.judge("the same with the same blocks", alike)
    return wrong


def places(folder, out, targets):
    """Short rounds with the reply at several places: medians over the places."""
    found = {}
    for where, row in json_lines(folder, "places.jsonl"):
        try:
            for time in row["microseconds"]:
                found.setdefault((row["parameters"]["bytes"], time["kernel"]), []).append(time["median"])
        except (KeyError, TypeError) as error:
            raise Malformed(f"{where}: no row of gicc-launch ({error!r})") from error
    if not found:
        return []
    kernels = sorted({kernel for _, kernel in found})
    out += ["### Short rounds with the reply at several places, microseconds: median (least to greatest)", ""]
    rows, within = [], []
    for size in sorted({size for size, _ in found}):
        middle = {k: statistics.median(found[size, k]) for k in kernels}
        shown = [f"{middle[k]:.2f} ({min(found[size, k]):.2f} to {max(found[size, k]):.2f})" for k in kernels]
        hand = min((middle[k] for k in kernels if k.startswith("by_hand")), default=None)
        mine = min((middle[k] for k in kernels if is_ll(k)), default=None)
        over = ratio(mine, hand)
        rows.append([size_name(size), *shown, cell(over, 3)])
        if over is not None:
            within.append((size_name(size), over, ALLOWED, True))
    out += table(["bytes", *kernels, "ll ÷ by hand"], rows)
    targets.judge("short rounds within 5% of the best by hand in the same file, median over places of the reply", within)
    return []


def one_shot_places(folder):
    """The program by hand with its packets at several places: (bytes, blocks) to microseconds at each."""
    found = {}
    for where, line in lines(folder, "one_shot_places.txt"):
        match = re.match(rf"one-shot places {PLACE}", line)
        if match:
            found[place(match)] = [number(text, where) for text in match["us"].split(",")]
    return found


def spread(times):
    """Median (least to greatest)."""
    return f"{statistics.median(times):.2f} ({min(times):.2f} to {max(times):.2f})" if times else "–"


def all_reduce(folder, out, targets):
    once, by_hand = all_reduce_by_hand(folder), one_shot_places(folder)
    found, wrong = of_gicc(folder, "all_reduce.jsonl")
    # Of several folders a kernel's name says the folder too: each has its packets elsewhere.
    ours = {}
    for (kernel, size, blocks), time in found.items():
        ours.setdefault((kernel.rsplit("/", 1)[-1], size, blocks), []).append(time)
    kernels = sorted({kernel for kernel, _, _ in ours})
    mine = [k for k in kernels if not k.startswith("by_hand")]
    places = sorted(set(once) | set(by_hand) | {key[1:] for key in ours})
    middle = lambda times: statistics.median(times) if times else None  # noqa: E731
    out += ["## All-reduce inside a kernel, microseconds: median over places of the packets (least to greatest)", "",
            "`by hand` is one_shot_places.cu by nvcc, `rounds.cu` the same at one place, `by_hand` a kernel of gicc's file.", ""]
    rows, within, here = [], [], []
    for size, blocks in places:
        at = f"{size_name(size)}, {blocks} blocks"
        hand, alike = middle(by_hand.get((size, blocks))), middle(ours.get(("by_hand", size, blocks)))
        best = least((middle(ours.get((k, size, blocks))), k) for k in mine)
        over, beside = (ratio(best[0] if best else None, theirs) for theirs in (hand, alike))
        rows.append([size_name(size), str(blocks), cell(once.get((size, blocks))), spread(by_hand.get((size, blocks))),
                     *[spread(ours.get((k, size, blocks))) for k in kernels], cell(over, 3), cell(beside, 3),
                     best[1] if best else "–"])
        within += [(at, over, ALLOWED, True)] if over is not None else []
        here += [(at, beside, ALLOWED, True)] if beside is not None else []
    out += table(["bytes", "blocks", "rounds.cu", "by hand", *kernels, "best ÷ by hand", "best ÷ by_hand", "best"], rows)
    targets.judge("all-reduce inside a kernel within 5% of the one by hand (best ÷ by hand, the same blocks, medians over places)",
                  within)
    targets.judge("all-reduce inside a kernel within 5% of the one by hand in the same file (medians over places)", here)
    return wrong


def graph(folder, out, targets):
    ours, wrong = of_gicc(folder, "all_reduce_graph.jsonl")
    theirs, failed = of_libraries(folder)
    program = collectives(folder)
    split = {}
    for (kernel, size, blocks), time in ours.items():
        kind, _, name = kernel.partition("_")
        split.setdefault((kind, size), []).append((time, f"{name}, {blocks} blocks"))
    libraries = sorted({library for library, _, _ in theirs})
    for kind in sorted({kind for kind, _ in split} | {kind for _, kind, _ in theirs}):
        out += [f"## All-reduce as a kernel of its own in a graph, {kind}, microseconds", ""]
        header = ["bytes", "gicc, best", "gicc automatic", *libraries, *[f"{library} ÷ gicc" for library in libraries],
                  "each way, GB/s"]
        rows, cases = [], []
        sizes = sorted({s for k, s in split if k == kind} | {s for _, k, s in theirs if k == kind})
        for size in sizes:
            best = least(split.get((kind, size), []))
            automatic = least(p for p in split.get((kind, size), []) if p[1].startswith("automatic"))
            at = [theirs.get((library, kind, size)) for library in libraries]
            show = lambda pair: f"{pair[0]:.2f} ({pair[1]})" if pair else "–"  # noqa: E731
            over = [ratio(time, best[0] if best else None) for time in at]
            rate = size / best[0] / 1e3 if best else None
            rows.append([size_name(size), show(best), show(automatic), *[cell(v) for v in at], *[cell(v) for v in over],
                         cell(rate, 1)])
            cases += [(f"{library}, {size_name(size)}", o, 1.0, False) for library, o in zip(libraries, over) if o is not None]
        out += table(header, rows)
        targets.judge(f"all-reduce of its own in a graph, {kind}: not slower than NCCL and torch (theirs ÷ ours)", cases)
    if program:
        out += ["## The program by hand for the libraries (NCCL f32, torch bf16), microseconds", ""]
        names, sizes = sorted({n for n, _ in program}), sorted({s for _, s in program})
        rows = []
        for size in sizes:
            best = {kind: least(split.get((kind, size), [])) for kind in ("f32", "bf16")}
            row = [size_name(size)]
            for name in names:
                time = program.get((name, size))
                mine = best["f32" if name.startswith("NCCL") else "bf16"]
                over = ratio(time, mine[0] if mine else None)
                row.append(f"{cell(time)} (÷ gicc {cell(over)})" if over else cell(time))
            rows.append(row)
        out += table(["bytes", *names], rows)
    return wrong + failed


def best_of_large(folder):
    """Of the ways by hand of large.txt the best line at each size, and wrong ones."""
    best, wrong = {}, []
    for where, line in lines(folder, "large.txt"):
        match = re.search(rf"^large all-reduce (?P<way>.*?)\s+threads=.*bytes=(?P<bytes>\d+)\s+{US}", line)
        if match and line.endswith("WRONG"):
            wrong.append(line)
        elif match:
            key = int(match["bytes"]), match["way"]
            best[key] = min(best.get(key, (float("inf"), "")), (number(match["us"], where), line))
    return [line for _, (_, line) in sorted(best.items())] + wrong


def main(arguments):
    if len(arguments) != 1 or not os.path.isdir(arguments[0]):
        print("usage: report.py RESULTS, a folder with what h200.sh measured", file=sys.stderr)
        return 2
    folder, out, targets, wrong = arguments[0], [], Targets(), []
    try:
        for part in (rounds, places, all_reduce, graph):
            wrong += part(folder, out, targets)
    except Malformed as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    rest = [line for _, line in lines(folder, "rounds.txt") if not re.match(r"round |all-reduce ", line)]
    rest += best_of_large(folder)
    if rest:
        out += ["## Besides, by hand", "", *[f"    {line}" for line in rest], ""]
    print("# Measured in one run", end="\n\n")
    print("\n".join(["## Targets", "", *targets.text()]))
    if wrong:
        print("\n".join(["## Wrong results, left out", "", *[f"- {what}" for what in wrong], ""]))
    print("\n".join(out).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
