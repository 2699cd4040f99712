"""Holds each example in docs/openapi.yaml to the schema beside it. scripts/check-api runs it.

    check_examples.py DOCUMENT
"""

import sys

import jsonschema_rs
import yaml


def examples(node, document, place="#"):
    """Each value that stands beside a schema, with its place; the octets of a body, which are no JSON, are left out."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from examples(item, document, f"{place}/{index}")
    if not isinstance(node, dict):
        return
    if "schema" in node and node["schema"].get("format") != "binary":
        if "example" in node:
            yield place, node["schema"], node["example"]
        for name, example in node.get("examples", {}).items():
            if "$ref" in example:
                example = document["components"]["examples"][example["$ref"].rsplit("/", 1)[-1]]
            yield f"{place}/examples/{name}", node["schema"], example["value"]
    for key, value in node.items():
        yield from examples(value, document, f"{place}/{key}")


def main(path):
    with open(path, encoding="utf-8") as file:
        document = yaml.safe_load(file)
    wrong = count = 0
    for place, schema, value in examples(document, document):
        count += 1
        validator = jsonschema_rs.Draft202012Validator({**schema, "components": document["components"]})
        for error in validator.iter_errors(value):
            wrong += 1
            print(f"{place}: {error.message}", file=sys.stderr)
    print(f"{count} examples, {wrong} faults")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
