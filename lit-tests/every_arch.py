"""every_arch.py GICC OUT PTXAS SOURCE: compiles SOURCE to PTX for every architecture that gicc names, and has ptxas assemble
each. Without a word but the failures; a warning of ptxas is one.
"""

import os
import re
import subprocess
import sys

gicc, out, ptxas, source = sys.argv[1:]
environment = dict(os.environ, GICC_CUDA="", GICC_LIBDEVICE="")


def architectures():
    """The values of --arch, from the message that refuses another one, so that no list stands here."""
    refusal = subprocess.run([gicc, source, "--arch", "none"], capture_output=True, text=True)
    listed = re.search(r"possible values: ([^\]]*)\]", refusal.stderr)
    return listed.group(1).split(", ")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0 or done.stdout or done.stderr:
        print(" ".join(command), done.stdout, done.stderr, sep="\n")
        sys.exit(1)


found = architectures()
assert len(found) >= 5, found
for arch in found:
    ptx = "%s.%s.ptx" % (out, arch)
    run(gicc, source, "--arch", arch, "-o", ptx)
    run(ptxas, "--gpu-name", arch, ptx, "-o", os.devnull)
    text = open(ptx).read()
    assert ".target %s" % arch in text, ptx
    assert not re.search(r"\.extern .*__gicc_", text), ptx
