"""spills.py PTXAS PTX [FUNCTION=BYTES]... [-- OPTION...]: has ptxas assemble PTX for sm_90 and looks at what it tells of each
function: registers that do not fit and are kept in local memory. Fails where a function stores or loads such a one, one that
is named more than so many bytes; also where a named one has none, since then it need not be named. OPTIONs go to ptxas.
"""

import os
import re
import subprocess
import sys

ptxas, ptx, *rest = sys.argv[1:]
named, options = (rest[: rest.index("--")], rest[rest.index("--") + 1 :]) if "--" in rest else (rest, [])
allowed = {function: int(most) for function, most in (word.split("=") for word in named)}

done = subprocess.run(
    [ptxas, "-arch=sm_90", "-v", ptx, "-o", os.devnull, *options], capture_output=True, text=True, check=False
)
told = done.stdout + done.stderr
if done.returncode != 0:
    sys.exit(told)
properties = r"Function properties for (\S+)\n *\d+ bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
spills = {function: max(int(stores), int(loads)) for function, stores, loads in re.findall(properties, told)}
# Each kernel is told of, or the words of ptxas are others than those that are looked for.
kernels = re.findall(r"\.entry (\w+)", open(ptx).read())
assert kernels and not set(kernels) - set(spills), (kernels, told)
wrong = False
for function in sorted(spills.keys() | allowed.keys()):
    found, most = spills.get(function, 0), allowed.get(function, 0)
    if found > most or (most > 0 and found == 0):
        print("%s: %d bytes of registers in local memory instead of %d" % (function, found, most))
        wrong = True
print("%d kernels, %d functions" % (len(kernels), len(spills)))
sys.exit(1 if wrong else 0)
