"""Of the JSON of `gicc explain`: each kernel's name, and a line `CLASS LINE` for each site, in the order of the program."""

import json
import sys

for kernel in json.load(sys.stdin)["kernels"]:
    print(kernel["readable"])
    for site in kernel["sites"]:
        print("  %s %s" % (site["class"], site["line"]))
