# SPDX-License-Identifier: Apache-2.0
"""run_doc.py PAGE: runs the ```sh blocks of a page, from the repository's top, in one shell that stops at the
first failure. Where the page says build/release it means the build that is tested."""

import os
import re
import subprocess
import sys


def blocks(text):
    return re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def script(text, build):
    found = blocks(text)
    if not found:
        sys.exit("the page has no ```sh block")
    lines = "\n".join(found).replace("build/release", build)
    # `! command` is exempt from `set -e`: it would check nothing.
    lines = re.sub(r"^! (.*)$", r"if \1; then echo 'should have failed: \1' >&2; exit 1; fi", lines, flags=re.MULTILINE)
    return "set -euxo pipefail\n" + lines


def main(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    build = os.path.relpath(os.environ["HEDDLE_BINARY_DIR"], os.environ["HEDDLE_SOURCE_DIR"])
    return subprocess.run(["bash", "-c", script(text, build)], cwd=os.environ["HEDDLE_SOURCE_DIR"]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
