"""Spoils the entries of a cache below a folder: cuts the first off, changes a byte of the second, and so on in turn."""

import pathlib
import sys

files = sorted(f for f in pathlib.Path(sys.argv[1]).rglob("*") if f.is_file())
assert len(files) > 2, files
for number, file in enumerate(files):
    content = bytearray(file.read_bytes())
    if number % 3 == 0:
        del content[len(content) // 2 :]
    elif number % 3 == 1:
        content[-1] ^= 1
    else:
        content = bytearray(files[0].read_bytes())
    file.write_bytes(content)
