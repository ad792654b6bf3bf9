"""Numbers that a request names something by: every other one becomes that of something that is there.

The ids of a test's database are small, those that a generator makes up are not, and requests that name nothing end in
the first check of an action. So do those with texts that nobody would send: every other form has those of the example.
"""

import json
import os
import re
import zlib

import schemathesis

MOST = 80
NAMES = re.compile(r"(^|_)(id|ids|to|principals|members|users|messages|subgroups|add|delete|anchor|order)$")


# What there is in the organization, by a pattern of the names that it is asked for by; the first that fits counts.
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
    """By name, what the document shows for the parameters of a form, or of the query."""
    raw = operation.definition.raw
    if place == "query":
        described = {one["name"]: one for one in raw.get("parameters", []) if one["in"] == "query"}
        described = {name: next(iter(one.get("content", {}).values()), one) for name, one in described.items()}
    else:
        content = raw.get("requestBody", {}).get("content", {})
        described = next(iter(content.values()), {}).get("schema", {}).get("properties", {})
    return {name: one["example"] for name, one in described.items() if "example" in one}


def often_shown(context, fields, place):
    """Three of four times what the document shows, with one in eight of what was made up."""
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
