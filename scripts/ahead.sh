#!/usr/bin/env bash
# Compiles all collectives into the user's cache, once for each build of gicc, so that no program has to. Where there is no
# cache, or it can't be written to, gicc works all the same: it compiles a collective when it is called.
#
#   ahead.sh FOLDER-OF-THE-BINARIES
set -uo pipefail
if [ -z "${GICC_CACHE_DIR-set}" ]; then
  echo "GICC_CACHE_DIR is empty: collectives are not compiled ahead"
  exit 0
fi
# It says how to fill the cache where something is missing.
if [[ $("$1/gicc" cache) == *'gicc cache fill'* ]]; then
  echo "compiling all collectives ahead, once for each build of gicc: a minute or two"
  "$1/gicc" cache fill >/dev/null || echo "they are compiled when they are called for the first time"
fi
