# SPDX-License-Identifier: Apache-2.0
"""The cases of make_op_cases.py: every function *_cases(cases) of the modules op_cases_*.py here."""

import importlib
import pathlib

from op_case_base import Cases


def all_cases():
    """Lists of cases by the name of their op."""
    cases = Cases()
    for path in sorted(pathlib.Path(__file__).parent.glob("op_cases_*.py")):
        module = importlib.import_module(path.stem)
        for name, make in list(vars(module).items()):
            if name.endswith("_cases") and getattr(make, "__module__", "") == module.__name__:
                make(cases)
    return cases.by_op
