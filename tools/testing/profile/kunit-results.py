#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the JSON of kunit.py into results, one a line.

usage: kunit-results.py NAME JSON
"""

import json
import sys


def walk(group, name):
    """Print the test cases of a group and of all groups below it."""
    for case in group["test_cases"]:
        verdict = {"PASS": "pass", "SKIP": "skip"}.get(case["status"], "fail")
        print(f"{verdict} {name}.{case['name']}")
    for sub in group["sub_groups"]:
        walk(sub, f"{name}.{sub['name']}")


with open(sys.argv[2], encoding="utf-8") as results:
    top = json.load(results)
for suite in top["sub_groups"]:
    walk(suite, f"{sys.argv[1]}/{suite['name']}")
for case in top["test_cases"]:
    print(f"fail {sys.argv[1]}/{case['name']}: a suite without cases")
