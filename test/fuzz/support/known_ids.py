"""Replaces every other id in a generated request by the id of an existing object.

The ids in a test's database are small and generated ids are not, so most generated requests would fail at an operation's first check. So would requests with unrealistic texts; most forms get the texts of the example.
"""

import json
import os
import re
import zlib

import schemathesis

MOST = 80
NAMES = re.compile(r"(^|_)(id|ids|to|principals|members|users|messages|subgroups|add|delete|anchor|order)$")


# Existing ids, by a pattern of parameter names; the first matching pattern counts.
THERE = [(re.compile(names), ids) for names, ids in json.loads(os.environ.get("CARILLON_KNOWN_IDS", "[]"))]


def known(name, value, always=False):
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        ids = next((ids for names, ids in THERE if names.search(name)), range(1, MOST + 1))
        return ids[abs(value) % len(ids)] if always or value % 2 == 0 else value
    if isinstance(value, list):
        return [known(name, item, always) for item in value]
    return value


def with_known(fields, always=False):
    if not isinstance(fields, dict):
        return fields
    return {
        name: known(str(name), value, always) if NAMES.search(str(name)) else value for name, value in fields.items()
    }


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    return with_known(path_parameters)


def shown(operation, place):
    """Returns the document's examples of the parameters of a form, or of the query, by name."""
    raw = operation.definition.raw
    if place == "query":
        described = {one["name"]: one for one in raw.get("parameters", []) if one["in"] == "query"}
        described = {name: next(iter(one.get("content", {}).values()), one) for name, one in described.items()}
    else:
        content = raw.get("requestBody", {}).get("content", {})
        described = next(iter(content.values()), {}).get("schema", {}).get("properties", {})
    return {name: one["example"] for name, one in described.items() if "example" in one}


def often_shown(context, fields, place):
    """Uses the document's example three times out of four, with one generated field in eight."""
    if not isinstance(fields, dict):
        return fields
    chance = zlib.crc32(repr(fields).encode(errors="replace"))
    if chance % 4 == 0:
        return with_known(fields)
    rest = [name for name in fields if zlib.crc32(name.encode(errors="replace"), chance) % 8 == 0]
    return {**with_known({name: fields[name] for name in rest}), **with_known(shown(context.operation, place), True)}


@schemathesis.hook
def map_query(context, query):
    return often_shown(context, query, "query")


@schemathesis.hook
def map_body(context, body):
    return often_shown(context, body, "body")
