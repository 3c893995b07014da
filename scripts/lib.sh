# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share; sourced, after `set -euo pipefail`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/heddle
# CMake, ctest and ninja started through `cmake --build` read these; a caller's own value wins.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$CMAKE_BUILD_PARALLEL_LEVEL}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 1; }

# usage: prints the comment block at the head of the running script.
usage() { sed -n '/^# SPDX/d; 2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; }
