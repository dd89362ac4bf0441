"""Tests of whole paths through the command, with FileCheck. Folders follow the path of a kernel.

  dialect/     the dialect gicc, through MLIR's own mlir-opt and through the command
  frontend/    CUDA C++, LLVM IR and bitcode become a module; what is refused there
  intrinsics/  each primitive of gicc.cuh: what call it becomes, what order its PTX has
  transform/   each pass: IR in, IR out
  collective/  collectives: algorithms, their choice, errors, weak memory
  codegen/     PTX, machine code, line information
  run/         kernels on simulated GPUs
  explain/     what gicc explain says of kernels, annotations
  check/       what gicc check finds; the script that compares it with labels
  bench/       the report of measurements, the registers of the measured kernels
  weak/        kernels of communication patterns, right and with one ordering wrong; input of other tests

Binaries: the folder GICC_BIN, else target/release, else target/debug of this checkout.

Substitutions:
  %gicc        the command, with gicc's own CUDA surface and mathematical functions
  %cuda-gicc   the same with NVIDIA's headers and libdevice (needs the feature cuda-headers)
  %gicc-binary the command's file
  %launch      gicc-launch
  %mlir-opt    MLIR's mlir-opt with gicc's plugin (needs the feature mlir-plugin)
  %python      the Python that runs lit
  %ptxas       NVIDIA's assembler (needs the feature ptxas)
  %every-arch  compiles the source that follows to PTX for each architecture and has ptxas assemble it (needs the feature ptxas)
  %exactly     options of FileCheck: no fence, release, acquire or undefined symbol but those that CHECK lines expect

Features: ptxas, cuda-headers, gpu, mlir-plugin. A test that needs one says REQUIRES, and is counted as unsupported without it.
"""

import json
import os
import subprocess
import sys

import lit.formats

LLVM = "/usr/lib/llvm-22/bin"
EXPECTED = ["{{^[[:space:]]*(fence|membar)}}", ".release.", ".acquire.", ".acq_rel.", ".extern"]
here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)


def binaries():
    """The folder that holds gicc and gicc-launch."""
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
    named = os.environ.get("GICC_BIN")
    candidates = [named] if named else [os.path.join(target, p) for p in ("release", "debug")]
    for folder in candidates:
        if os.path.exists(os.path.join(folder, "gicc")):
            return os.path.abspath(folder)
    lit_config.fatal("no gicc in %s: build it with `make build`" % ", ".join(candidates))


def found_by(gicc, environment):
    """What `gicc doctor` finds on this machine: name to path."""
    report = subprocess.run([gicc, "doctor", "--json"], capture_output=True, text=True, env=environment)
    return {p["name"]: p["found"] for p in json.loads(report.stdout)["parts"] if p["state"] == "found"}


folder = binaries()
gicc = os.path.join(folder, "gicc")
config.name = "gicc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".ll", ".mlir", ".test"]  # the scripts here are no tests
config.excludes = ["Inputs"]
config.test_source_root = here
config.test_exec_root = os.path.join(root, "build", "lit")

# The environment of the command is the test's own: what a user has set must not change a result.
config.environment["PATH"] = os.pathsep.join([LLVM, config.environment.get("PATH", os.environ["PATH"])])
# Nor what an earlier compilation kept.
config.environment["GICC_CACHE_DIR"] = ""
venv = os.path.join(root, ".tools", "venv")
if os.path.isdir(venv):
    config.environment["VIRTUAL_ENV"] = venv

tools = found_by(gicc, dict(os.environ, **config.environment))
if "ptxas" in tools:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", tools["ptxas"]))
    config.substitutions.append(
        ("%every-arch", "%s %s %s %%t %s" % (sys.executable, os.path.join(here, "every_arch.py"), gicc, tools["ptxas"]))
    )
if "CUDA headers" in tools and "libdevice" in tools:
    config.available_features.add("cuda-headers")
if "GPUs" in tools:
    config.available_features.add("gpu")

plugin = os.path.join(folder, "libgicc_mlir.so")
if os.path.exists(plugin):
    config.available_features.add("mlir-plugin")

config.substitutions += [
    ("%mlir-opt", "%s/mlir-opt --load-dialect-plugin=%s --load-pass-plugin=%s" % (LLVM, plugin, plugin)),
    ("%python", sys.executable),
    ("%gicc-binary", gicc),
    ("%cuda-gicc", gicc),
    ("%gicc", "env GICC_CUDA= GICC_LIBDEVICE= %s" % gicc),
    ("%launch", os.path.join(folder, "gicc-launch")),
    # Every fence and every release or acquire in the PTX has to be expected by the test.
    ("%exactly", " ".join("'--implicit-check-not=%s'" % s for s in EXPECTED)),
    ("%examples", os.path.join(root, "examples")),
]
