"""renamed.py GICC FOLDER OUT: the findings of each source of FOLDER before and after all names in its IR are changed: symbols,
values and types by opt's pass metarenamer (functions that gicc, NVSHMEM or CUDA define keep theirs, which are an interface), names
of the source in the debug information by this script. Findings are compared with their lines and texts; a name in a text counts as
any other.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

gicc, folder, out = sys.argv[1:]
KEPT = "__gicc_,gicc_,nvshmem,nvshmemx,nccl,vprintf,__assertfail,__nv_,malloc,free"


def main():
    sources = sorted(name for name in os.listdir(folder) if name.endswith(".cu"))
    assert len(sources) >= 14, "the kernels are gone"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(compare, sources))
    kernels, findings = (sum(column) for column in zip(*counts))
    assert kernels > 90 and findings > 90, (kernels, findings)


def compare(source):
    """Numbers of kernels and findings, all of them alike."""
    plain, renamed = (os.path.join(out, source + end) for end in (".ll", ".renamed.ll"))
    run(gicc, os.path.join(folder, source), "--stop-after", "frontend", "-o", plain)
    run("opt", "-passes=metarenamer", "-rename-exclude-function-prefixes=" + KEPT, "-S", plain, "-o", renamed)
    with open(renamed, encoding="utf-8") as file:
        text = file.read()
    kernels = re.findall(r"define [^\n]*ptx_kernel [^\n]*@([\w.]+)\(", text)
    text = re.sub(r'(\b(?:linkageName|name): ")[^"]+"', r'\1another"', text)
    with open(renamed, "w", encoding="utf-8") as file:
        file.write(text)
    before, after = said(plain), said(renamed)
    assert len(before) == len(after) and [k["name"] for k in after] == kernels, source
    names = {name for kernel in before for name in [kernel["name"]]}
    assert names.isdisjoint(kernels), source
    for one, other in zip(before, after):
        assert findings(one) == findings(other), (source, one["name"], findings(one), findings(other))
    return len(before), sum(len(kernel["findings"]) for kernel in before)


def findings(kernel):
    """Of each finding all but the names of objects, which are names of the source."""
    return sorted((f["code"], f["line"], f["column"], plain(f["message"]), plain(f["cause"]), f["cure"], f["confirmed"])
                  for f in kernel["findings"])


def plain(text):
    return re.sub(r"`[^`]*`", "``", text)


def said(path):
    return json.loads(run(gicc, "check", path, "--format", "json", codes=(0, 1)))["kernels"]


def run(*command, codes=(0,)):
    environment = dict(os.environ, GICC_CUDA="", GICC_LIBDEVICE="")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode in codes, (command, done.returncode, done.stderr[-2000:])
    return done.stdout


main()
