#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the sources of a finished build: run_tidy.py BUILD_FOLDER [PATH_PART...].

With PATH_PARTs only the sources whose path contains one of them. A source that passed is not looked at
again, in any clone, until it, its command, one of its includes, the checks or clang-tidy itself change:
the cache folder keeps one empty file for each that passed.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

_ROOT = pathlib.Path(__file__).resolve().parent.parent
_TIDY = "clang-tidy-19"
_KEEP_DAYS = 60
# The commands are g++'s: clang knows other warnings, and those are the compiler's business anyway.
_OPTIONS = ["--quiet", "--extra-arg=-w", "--extra-arg=-Qunused-arguments"]


@functools.lru_cache(maxsize=None)
def _digest(path):
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError:
        return "none"


def _includes(build):
    """Output file -> the files that it was made from, as ninja noted them down during the build."""
    listing = subprocess.run(
        ["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True
    ).stdout
    includes, current = {}, []
    for line in listing.splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif ": #deps" in line:
            current = includes.setdefault(line.split(":")[0], [])
    return includes


def _configs(source):
    """The .clang-tidy files that apply to a source."""
    return [str(folder / ".clang-tidy") for folder in source.parents if folder.is_relative_to(_ROOT)]


def _key(entry, includes, build, version):
    """Hash of all that decides about a source, or None where the build does not know its includes."""
    # The command's output is relative to the build folder, like ninja's names.
    files = includes.get(re.search(r" -o (\S+)", entry["command"]).group(1))
    if files is None:
        return None
    source = pathlib.Path(entry["file"])
    parts = [version, *_OPTIONS, entry["command"].replace(str(build), "B").replace(str(_ROOT), "R")]
    for name in [*files, *_configs(source)]:
        path = (build / name).resolve()
        inside = path.is_relative_to(_ROOT)
        parts.append(f"{path.relative_to(_ROOT) if inside else path} {_digest(path)}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


# misc-include-cleaner is there for includes that nothing uses. It also asks for a direct include of every
# name, int32_t through one's own header as well, and has no option against that in this version.
_UNWANTED = re.compile(r"no header providing .* \[misc-include-cleaner")
_FINDING = re.compile(r"^/.*:\d+:\d+: (error|warning): |^error: ")


def _findings(output):
    """clang-tidy's findings in `output`, each with its lines of context."""
    blocks, keep = [], False
    for line in output.splitlines():
        if _FINDING.match(line):
            keep = not _UNWANTED.search(line)
            if keep:
                blocks.append([])
        if keep:
            blocks[-1].append(line)
    return ["\n".join(block) for block in blocks]


def _check(entry, build):
    """Returns whether a source passes, and what to say if not."""
    run = subprocess.run(
        [_TIDY, *_OPTIONS, "-p", str(build), entry["file"]], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    findings = _findings(run.stdout)
    if findings:
        return False, "\n".join(findings)
    # Without any finding of its own, clang-tidy that fails has crashed or could not read the source.
    return run.returncode == 0 or bool(_UNWANTED.search(run.stdout)), run.stdout + run.stderr


def main(arguments):
    build, parts = pathlib.Path(arguments[0]).resolve(), arguments[1:]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "heddle/tidy"
    cache.mkdir(parents=True, exist_ok=True)
    for stamp in cache.iterdir():
        if time.time() - stamp.stat().st_mtime > _KEEP_DAYS * 24 * 3600:
            stamp.unlink(missing_ok=True)

    version = subprocess.run([_TIDY, "--version"], check=True, capture_output=True, text=True).stdout
    includes = _includes(build)
    entries, failed, done = {}, 0, 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(_ROOT) and not path.is_relative_to(_ROOT / "build"):
            if not parts or any(part in entry["file"] for part in parts):
                entries[entry["file"]] = entry

    pending = {}
    for entry in entries.values():
        key = _key(entry, includes, build, version)
        if key is None:
            print(f"{entry['file']} is not built; run scripts/test first", file=sys.stderr)
            return 1
        stamp = cache / key
        if stamp.exists():
            stamp.touch()
        else:
            pending[entry["file"]] = (entry, stamp)

    jobs = int(os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or os.cpu_count())
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = {pool.submit(_check, entry, build): (entry, stamp) for entry, stamp in pending.values()}
        for run in concurrent.futures.as_completed(runs):
            entry, stamp = runs[run]
            passed, output = run.result()
            done += 1
            if passed:
                stamp.touch()
            else:
                failed += 1
                print(output.strip(), file=sys.stderr)
            if sys.stderr.isatty():
                print(f"\r{done}/{len(pending)}", end="\r", file=sys.stderr)
    print(f"clang-tidy: {len(entries)} sources, {len(entries) - len(pending)} unchanged, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
