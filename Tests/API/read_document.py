"""Prints docs/openapi.yaml as one line of JSON, for the tests in Swift, which have no YAML.

References are replaced by what they name, a path's parameters stand with each of its operations, and the value of an
example is the text that goes over the wire.
"""

import json
import sys

import yaml


def resolved(node, document, within=()):
    """`node` without references, but for one that leads back to where it stands."""
    if isinstance(node, list):
        return [resolved(item, document, within) for item in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if reference is None:
        return {key: resolved(value, document, within) for key, value in node.items()}
    if reference in within:
        return {}
    target = document
    for name in reference.removeprefix("#/").split("/"):
        target = target[name]
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return resolved({**target, **beside}, document, (*within, reference))


def write_examples_as_text(node):
    if isinstance(node, list):
        for item in node:
            write_examples_as_text(item)
    elif isinstance(node, dict):
        for example in node.get("examples", {}).values():
            if not isinstance(example["value"], str):
                example["value"] = json.dumps(example["value"])
        for value in node.values():
            write_examples_as_text(value)


def main(path):
    with open(path, encoding="utf-8") as file:
        document = yaml.safe_load(file)
    document = resolved(document, document)
    for methods in document["paths"].values():
        parameters = methods.pop("parameters", [])
        for operation in methods.values():
            operation["parameters"] = parameters + operation.get("parameters", [])
    write_examples_as_text(document["paths"])
    print(json.dumps(document))


if __name__ == "__main__":
    main(sys.argv[1])
