# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share; sourced, after `set -euo pipefail`.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/heddle
# CMake, ctest and ninja started through `cmake --build` read these; a caller's own value wins.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$CMAKE_BUILD_PARALLEL_LEVEL}
# Objects built in one clone serve every other.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$@"; exit 1; }

# usage: prints the comment block at the head of the running script.
usage() { sed -n '/^# SPDX/d; 2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; }

# take_xnnpack_option ARGS...: sets setup_options, cmake_options and rest by whether the first is --no-xnnpack.
take_xnnpack_option() {
  setup_options=() cmake_options=(-DHEDDLE_XNNPACK=ON)
  if [[ ${1:-} = --no-xnnpack ]]; then
    setup_options=(--no-xnnpack) cmake_options=(-DHEDDLE_XNNPACK=OFF)
    shift
  fi
  rest=("$@")
}

# configure PRESET [options...]: quiet unless it fails.
configure() {
  local log
  if ! log=$(cmake --preset "$@" 2>&1); then
    printf '%s\n' "$log" >&2
    die "cmake --preset $* failed"
  fi
}

# oracle_folder: where the Python environment with LiteRT stands, for these requirements, Python and machine.
oracle_folder() {
  local python
  python=$(python3 -c 'import sys; print("py%d.%d" % sys.version_info[:2])')
  echo "$cache/oracle-$(sha256sum "$root/tests/oracle/requirements.txt" | cut -c1-12)-$python-$(uname -m)"
}

# oracle_python: its interpreter; fails if there is none.
oracle_python() {
  local python
  python=$(oracle_folder)/bin/python
  [[ -x $python ]] && echo "$python"
}
