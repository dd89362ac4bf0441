#!/usr/bin/env bash
# Installs what building and testing gicc needs and what is not there yet: Debian packages through apt, NVIDIA's tools and
# headers as Python wheels into .tools/venv. What is there is left alone; the second call takes a fraction of a second.
set -euo pipefail
cd "$(dirname "$0")/.."

# A C compiler and libraries to link LLVM and MLIR; clang, LLVM and MLIR themselves; lit, FileCheck and not; venv for the wheels.
packages=(
  build-essential clang-22 llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools libpolly-22-dev zlib1g-dev libzstd-dev
  python3 python3-venv
)
# ptxas, nvdisasm, cuobjdump, libdevice, CUDA's headers. NVIDIA's licence allows the download, not a copy in a repository.
wheels=(
  nvidia-cuda-nvcc==13.5.37 nvidia-cuda-nvdisasm==13.5.37 nvidia-cuda-cuobjdump==13.5.37 nvidia-nvvm==13.5.37
  nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-cccl==13.3.5.0.6
)

say() { printf 'install: %s\n' "$*"; }
fail() { printf 'install: %s\n' "$*" >&2; exit 1; }

command -v cargo >/dev/null || fail "cargo is missing: install Rust 1.95 with rustup (rust-toolchain.toml names the version)"

missing=()
if command -v dpkg-query >/dev/null; then
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
elif [ ! -x /usr/lib/llvm-22/bin/llvm-config ]; then
  fail "this is no Debian: install LLVM 22 and clang 22 under /usr/lib/llvm-22, and what else stands in scripts/install.sh"
fi
if [ ${#missing[@]} -gt 0 ]; then
  root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "as root, run: apt-get install --no-install-recommends ${missing[*]}"
    root=(sudo)
  fi
  say "apt: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${root[@]}" apt-get update -qq
  "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt could not install ${missing[*]}; clang-22 and LLVM 22 come with Debian 12's security updates"
fi

# The stamp holds what was installed, so that another version here installs again.
stamp=.tools/venv/gicc-wheels
if [ "$(cat "$stamp" 2>/dev/null)" != "${wheels[*]}" ]; then
  # Debian's own Python: a virtual environment of another one breaks when that one goes.
  [ -x .tools/venv/bin/pip ] || /usr/bin/python3 -m venv .tools/venv
  say "pip, into .tools/venv: ${wheels[*]}"
  .tools/venv/bin/pip install --quiet --disable-pip-version-check --no-deps "${wheels[@]}"
  chmod +x .tools/venv/lib/python3*/site-packages/nvidia/cu13/bin/*
  echo "${wheels[*]}" >"$stamp"
fi
