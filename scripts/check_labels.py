#!/usr/bin/env python3
"""Compares what `gicc check` says of kernels with labels that people gave by hand.

    scripts/check_labels.py --labels LABELS.tsv --sources DIR --gicc BIN --config CONFIG.toml [--table OUT.md]

A labels file has a heading and tab-separated columns: kernel, path, line, class, op, and one that is not read. Classes are

    RD remote data store    XD exported store       RF signal              LF local flag      PL poll    PR poll of a peer
    RL remote load          LL load of peers' data  FN fence               GC grid counter    LO local output

The configuration says how each kernel is compiled, in the paths of --sources:

    [[kernel]]
    name = "push"                    # as in the labels file
    source = "drivers/push.cu"       # what is compiled
    options = ["-I", "include"]      # what gicc is told besides; `{sources}` stands for the folder
    match = "push_kernel"            # a regular expression: which kernels of the source are meant; all where it is absent
    verdict = "BUG"                  # OK, KB, INTENT, FORMAL or BUG, or several joined by +
    annotations = ["push.toml"]      # side files of annotations
    findings = ["push.cuh:31"]       # where a finding has to lie, for BUG; one of `a|b` is enough
    repository = "…", commit = "…"   # for the table

A site stands for a label where its innermost line, or a line through which it was inlined, is the label's line, or one of the
lines that the statement which begins there goes on to. A label that has several sites counts as found where one of them has the label's class. What is compared: recall by class; how classes are
confused; whether each verdict came out. OK, KB, INTENT and FORMAL want no finding of the severity `error`; BUG wants one at
the named lines. The exit status is 0 where everything was compiled and read, whatever came out of the comparison.
"""

import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

# What of gicc's classes stands for a label's class.
CLASSES = {
    "RD": {"remote-store", "packet-store", "bulk-copy", "library-call"},
    "XD": {"exported-store"},
    "RF": {"signal", "library-call"},
    "LF": {"local-flag"},
    "PL": {"poll-local", "packet-load", "library-call"},
    "PR": {"poll-remote"},
    "RL": {"remote-load", "bulk-copy", "library-call"},
    "LL": {"local-load"},
    "FN": {"fence", "library-call"},
    "GC": {"grid-counter"},
    "LO": {"local-output"},
}
# Severities of findings of correctness and of performance; the others are notes.
ERRORS = {"error", "correctness"}
WARNINGS = {"warning", "performance"}
# The classes that are counted together.
COUNTED = ["RD", "XD", "RF", "PL", "PR", "FN"]
# Another class that does as well as the label's, for the reason in the table below.
TOLERATED = {
    ("RF", "packet-store"): "a store of data and flag in one",
    ("GC", "poll-local"): "a poll, of a counter of the own GPU",
    ("LO", None): "not of interest: nothing is said of it",
}


def main():
    arguments = parse_arguments()
    with open(arguments.config, "rb") as file:
        kernels = tomllib.load(file)["kernel"]
    if arguments.only:
        kernels = [k for k in kernels if re.search(arguments.only, k["name"])]
    labels = collections.defaultdict(list)
    for path in arguments.labels:
        for row in read_labels(path):
            labels[row["kernel"]].append(row)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        runs = list(pool.map(lambda kernel: run(arguments, kernel), kernels))
    lines = Lines(arguments.sources)
    results = [Result(kernel, labels.get(kernel["name"], []), lines, *r) for kernel, r in zip(kernels, runs)]
    text = report(results, arguments)
    print(text, end="")
    if arguments.table:
        with open(arguments.table, "w", encoding="utf-8") as file:
            file.write(text)
    unlabelled = sorted(set(labels) - {k["name"] for k in kernels})
    if unlabelled and not arguments.only:
        print("labelled, and not in the configuration:", ", ".join(unlabelled), file=sys.stderr)
    return 1 if any(r.failure for r in results) else 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", required=True, action="append", help="labels file (repeatable)")
    parser.add_argument("--sources", required=True, help="folder of the kernels' sources")
    parser.add_argument("--gicc", default="gicc", help="the command")
    parser.add_argument("--config", required=True, help="how each kernel is compiled")
    parser.add_argument("--table", help="write the report here too")
    parser.add_argument("--command", default="check", choices=["check", "explain"], help="which command is asked")
    parser.add_argument("--option", action="append", default=[], help="one more word for every call (repeatable)")
    parser.add_argument("--no-annotations", action="store_true", help="as if there were no side files")
    parser.add_argument("--only", help="only kernels whose name has this regular expression")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="keep each kernel's JSON in this folder")
    return parser.parse_args()


def read_labels(path):
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            row["line"] = int(row["line"])
            yield row


def run(arguments, kernel):
    """What gicc says of one kernel: the parsed JSON or nothing, what went wrong or nothing, seconds."""
    sources = os.path.abspath(arguments.sources)
    options = [o.replace("{sources}", sources) for o in kernel.get("options", [])] + arguments.option
    command = [os.path.abspath(arguments.gicc) if os.sep in arguments.gicc else arguments.gicc, arguments.command]
    command += [kernel["source"], "--format", "json", *options]
    if not arguments.no_annotations:
        command += [word for file in kernel.get("annotations", []) for word in ("--annotations", file)]
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=sources, capture_output=True, text=True, errors="replace")
    except OSError as error:
        return None, str(error), 0.0
    seconds = time.monotonic() - start
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        with open(os.path.join(arguments.keep, kernel["name"] + ".json"), "w", encoding="utf-8") as file:
            file.write(done.stdout)
    try:
        return json.loads(done.stdout), None, seconds
    except json.JSONDecodeError:
        words = (done.stderr or done.stdout).strip()[-600:] or f"exit status {done.returncode}"
        return None, words, seconds


class Lines:
    """The lines over which statements go, read from the sources."""

    def __init__(self, sources):
        self.sources, self.files = sources, {}

    def last(self, path, first):
        """The last line of what begins on the line `first`: brackets are open, or an assignment has no right side yet."""
        text = self.text(path)
        opened, line = 0, first
        while line - first < 8 and line <= len(text):
            words = text[line - 1].split("//")[0].rstrip()
            opened += sum(words.count(c) for c in "([") - sum(words.count(c) for c in ")]")
            if opened <= 0 and not words.endswith("="):
                break
            line += 1
        return line

    def text(self, path):
        if path not in self.files:
            try:
                with open(os.path.join(self.sources, path), encoding="utf-8", errors="replace") as file:
                    self.files[path] = file.read().splitlines()
            except OSError:
                self.files[path] = []
        return self.files[path]


class Result:
    """One kernel: its labels, what was said, and what of both fits."""

    def __init__(self, kernel, labels, lines, said, failure, seconds):
        self.kernel, self.labels, self.failure, self.seconds = kernel, labels, failure, seconds
        meant = re.compile(kernel.get("match", ""))
        chosen = [k for k in (said or {}).get("kernels", []) if meant.search(k.get("readable") or k["name"])
                  or meant.search(k["name"])]
        if said is not None and not chosen:
            self.failure = f"no kernel's name has `{kernel.get('match', '')}`"
        self.sites = [site for k in chosen for site in k["sites"]]
        self.findings = distinct([f for k in chosen for f in k.get("findings", [])])
        self.rows = [(label, *self.judge(label, lines)) for label in labels]

    def judge(self, label, lines):
        """Whether a label was found, and as which classes."""
        files = {p["file"] for s in self.sites for p in places_of(s) if same_file(p["file"], label["path"])}
        meant = range(label["line"], max((lines.last(f, label["line"]) for f in files), default=label["line"]) + 1)
        classes = collections.Counter(s["class"] for s in self.sites if stands_at(s, label["path"], meant))
        wanted = CLASSES[label["class"]]
        found = bool(wanted & set(classes))
        if not found:
            found = any((label["class"], c) in TOLERATED for c in classes) or (
                not classes and (label["class"], None) in TOLERATED)
        return found, classes

    def verdict(self):
        """Whether the verdict came out, and why in words."""
        wanted = set(self.kernel.get("verdict", "OK").split("+"))
        errors = [f for f in self.findings if f["severity"] in ERRORS]
        places = [f"{os.path.basename(f.get('file') or '?')}:{f.get('line')}" for f in errors]
        if "BUG" not in wanted:
            return not errors, "" if not errors else "not expected: " + ", ".join(sorted(set(places)))
        missing = [p for p in self.kernel.get("findings", []) if not any(self.near(p, f) for f in errors)]
        if missing:
            return False, "missing at " + ", ".join(missing).replace("|", " or ")
        return bool(errors), "" if errors else "nothing was found"


    def near(self, place, finding):
        """Whether a finding, or a line that it names besides, lies at `file:line`, itself or as part of what was inlined."""
        named = [finding, *finding.get("related", [])]
        spans = {(p.get("file"), p.get("line"), p.get("column")) for p in named}
        stacks = [p for s in self.sites if (s.get("file"), s.get("line"), s.get("column")) in spans for p in places_of(s)]
        for alternative in place.split("|"):
            path, line = alternative.rsplit(":", 1)
            if any(p.get("line") == int(line) and same_file(p.get("file"), path) for p in [*named, *stacks]):
                return True
        return False


def distinct(findings):
    """Each finding once, though several instances of a template have it."""
    seen, kept = set(), []
    for finding in findings:
        key = (finding["code"], finding.get("file"), finding.get("line"), finding.get("column"))
        if key not in seen:
            seen.add(key)
            kept.append(finding)
    return kept


def places_of(site):
    return [{"file": site.get("file"), "line": site.get("line")}, *site.get("inlined_at", [])]


def stands_at(site, path, lines):
    return any(p["line"] in lines and same_file(p["file"], path) for p in places_of(site))


def same_file(file, path):
    if not file:
        return False
    file, path = os.path.normpath(file), os.path.normpath(path)
    return file == path or file.endswith(os.sep + path)


def report(results, arguments):
    lines = []
    lines += recall_table(results)
    lines += ["", *verdict_table(results)]
    lines += ["", *misses_table(results)]
    lines += ["", *confusion_table(results)]
    return "\n".join(lines) + "\n"


def recall_table(results):
    rows = [(label, found) for r in results for label, found, _ in r.rows]
    lines = ["### Recall by class", "", "| class | labelled | found | recall |", "| --- | --- | --- | --- |"]
    for name in CLASSES:
        of_class = [found for label, found in rows if label["class"] == name]
        if of_class:
            lines.append(f"| {name} | {len(of_class)} | {sum(of_class)} | {percent(of_class)} |")
    counted = [found for label, found in rows if label["class"] in COUNTED]
    lines.append(f"| {', '.join(COUNTED)} together | {len(counted)} | {sum(counted)} | {percent(counted)} |")
    return lines


def percent(found):
    return f"{100 * sum(found) / len(found):.1f}%" if found else "-"


def verdict_table(results):
    lines = ["### Verdicts", "",
             "| kernel | label | as labelled | errors | warnings | notes | remark | s |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for r in results:
        if r.failure:
            lines.append(f"| {r.kernel['name']} | {r.kernel.get('verdict', 'OK')} | not checked | | | | "
                         f"{one_line(r.failure)} | {r.seconds:.1f} |")
            continue
        good, words = r.verdict()
        cells = [codes([f for f in r.findings if f["severity"] in severities]) for severities in (ERRORS, WARNINGS)]
        cells.append(codes([f for f in r.findings if f["severity"] not in ERRORS | WARNINGS]))
        lines.append(f"| {r.kernel['name']} | {r.kernel.get('verdict', 'OK')} | {'yes' if good else '**no**'} | "
                     f"{' | '.join(cells)} | {words} | {r.seconds:.1f} |")
    return lines


def codes(findings):
    places = collections.defaultdict(list)
    for f in findings:
        places[f["code"]].append(str(f.get("line") or "?"))
    return "; ".join(f"{code} at {', '.join(sorted(set(at), key=lambda x: (len(x), x)))}" for code, at in sorted(places.items()))


def misses_table(results):
    lines = ["### Labels that were not found as labelled", "",
             "| kernel | place | label | op | found as |", "| --- | --- | --- | --- | --- |"]
    for r in results:
        for label, found, classes in r.rows:
            if not found:
                seen = ", ".join(f"{c} x{n}" for c, n in sorted(classes.items())) or "nothing"
                place = f"{os.path.basename(label['path'])}:{label['line']}"
                lines.append(f"| {r.kernel['name']} | {place} | {label['class']} | {label['op']} | {seen} |")
    return lines


def confusion_table(results):
    counts = collections.Counter()
    for r in results:
        for label, _, classes in r.rows:
            for name in classes or {"nothing": 1}:
                counts[label["class"], name] += 1
    columns = sorted({name for _, name in counts})
    lines = ["### What gicc says at the lines of each class", "", "| label | " + " | ".join(columns) + " |",
             "| --- " * (len(columns) + 1) + "|"]
    for name in CLASSES:
        if any(counts[name, c] for c in columns):
            lines.append(f"| {name} | " + " | ".join(str(counts[name, c] or "") for c in columns) + " |")
    return lines


def one_line(text):
    return " ".join(text.split()).replace("|", "/")[:200]


if __name__ == "__main__":
    sys.exit(main())
