"""Numbers that a request names something by: every other one becomes that of something that is there.

The ids of a test's database are small, those that a generator makes up are not, and requests that name nothing end in
the first check of an action.
"""

import re

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


@schemathesis.hook
def map_query(context, query):
    return with_known(query)


@schemathesis.hook
def map_body(context, body):
    return with_known(body)
