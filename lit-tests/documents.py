"""documents.py ROOT DOCUMENT...: every path in backticks (a word with a slash, or a file name with one of the project's
endings) must exist, below ROOT, beside the document, or below a folder that the document named in the same section.
"""

import os
import re
import sys

root, documents = sys.argv[1], sys.argv[2:]
ENDINGS = (".rs", ".cu", ".cuh", ".cpp", ".h", ".py", ".sh", ".md", ".toml", ".test", ".ll")
# Outputs and names of things in general, not files of the project.
GENERAL = re.compile(r"[<>*…=$ ]|^(--|\.tools|build/|target/|/|gicc/abi\.h|kernel\.|reference\.|launch\.toml|module\.json|push\.cu|NAME)")
bad = []
for document in documents:
    bases = [root, os.path.dirname(os.path.join(root, document))]
    for number, line in enumerate(open(os.path.join(root, document), encoding="utf-8"), 1):
        if line.startswith("#"):
            bases = bases[:2]
        for word in re.findall(r"`([^`]+)`", line):
            if GENERAL.search(word):
                continue
            found = [os.path.join(base, word) for base in bases if os.path.exists(os.path.join(base, word))]
            if not found and ("/" in word or word.endswith(ENDINGS)):
                bad.append("%s:%d: `%s`" % (document, number, word))
            bases += [path for path in found if os.path.isdir(path)]
if bad:
    sys.exit("these do not exist:\n" + "\n".join(bad))
