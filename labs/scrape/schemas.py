"""Asks Python's jsonschema what the validator of the test kit was asked: schemas.py FOLDER"""

import collections
import json
import pathlib
import sys

import jsonschema

counts = collections.Counter()
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    case = json.loads(path.read_text())
    schema, ours = case["schema"], case["complaints"]
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    theirs = [error.message for error in kind(schema).iter_errors(case["value"])]
    counts["refused" if theirs else "taken"] += 1
    if bool(ours) != bool(theirs):
        sys.exit(f"{path}: we say {ours}, jsonschema says {theirs}")
if not counts["refused"] or not counts["taken"]:
    sys.exit(f"too few questions: {counts}")
print(f"schemas: the same answers, {counts['taken']} times yes and {counts['refused']} times no")
