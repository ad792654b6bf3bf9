"""Numbers that a request names something by: every other one becomes that of something that is there.

The ids of a test's database are small, those that a generator makes up are not, and requests that name nothing end in
the first check of an action. So do those with texts that nobody would send: every other form has those of the example.
"""

import re
import zlib

import schemathesis

MOST = 80
NAMES = re.compile(r"(^|_)(id|ids|to|principals|members|users|messages|subgroups|add|delete|anchor|order)$")


def known(value):
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return abs(value) % MOST + 1 if value % 2 == 0 else value
    if isinstance(value, list):
        return [known(item) for item in value]
    return value


def with_known(fields):
    if not isinstance(fields, dict):
        return fields
    return {name: known(value) if NAMES.search(str(name)) else value for name, value in fields.items()}


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
    return {**with_known({name: fields[name] for name in rest}), **shown(context.operation, place)}


@schemathesis.hook
def map_query(context, query):
    return often_shown(context, query, "query")


@schemathesis.hook
def map_body(context, body):
    return often_shown(context, body, "body")
