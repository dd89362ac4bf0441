"""exit_code.py CODE COMMAND...: runs the command; succeeds if it exits with this code."""

import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
code = subprocess.run(command).returncode
if code != expected:
    sys.exit("exit code %d, expected %d: %s" % (code, expected, " ".join(command)))
