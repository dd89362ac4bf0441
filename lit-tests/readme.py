"""readme.py README FOLDER GICC: checks the README's blocks. A block after `<!-- file: NAME -->` is written to FOLDER; each
line of a block after `<!-- output of: gicc ... -->` must stand in what that command prints, in this order. Numbers of
registers and of values, attributes and debug locations do not count.
"""

import os
import re
import shlex
import subprocess
import sys

readme, folder, gicc = sys.argv[1:]
root = os.path.dirname(os.path.abspath(readme))
text = open(readme, encoding="utf-8").read()
blocks = re.findall(r"<!-- (file|output of): (.*?) -->\n```\w*\n(.*?)```", text, re.DOTALL)
assert len(blocks) >= 8, "the README lost its checked blocks"
if not os.path.exists(os.path.join(folder, "examples")):
    os.symlink(os.path.join(root, "examples"), os.path.join(folder, "examples"))


def settled(line):
    line = re.sub(r", !.*$| #\d+.*$", "", line.rstrip())
    return re.sub(r"%[\w.]+", "%", re.sub(r"\s+", " ", line))


for kind, what, block in blocks:
    if kind == "file":
        with open(os.path.join(folder, what), "w", encoding="utf-8") as file:
            file.write(block)
        continue
    command = [gicc] + shlex.split(what)[1:]
    environment = dict(os.environ, GICC_CUDA="", GICC_LIBDEVICE="")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
    printed = [settled(line) for line in (done.stdout + done.stderr).splitlines()]
    at = 0
    for line in filter(None, map(settled, block.splitlines())):
        if line not in printed[at:]:
            sys.exit("`%s` does not print, after what stands above it:\n%s\nbut\n%s" % (what, line, done.stderr or done.stdout))
        at = printed.index(line, at) + 1
