"""How a client that openapi-python-client has generated sends forms as this API takes them.

The generator does not look at `encoding` in a document, and hands every form to httpx, which repeats the name of a list
for each item. Here a value that is no string goes out as JSON, which is what the document asks for.
"""

import json

import httpx


class JsonForms(httpx.Client):
    def request(self, method, url, *, data=None, **rest):
        if data is not None:
            data = {
                name: value if isinstance(value, str) else json.dumps(value)
                for name, value in data.items()
            }
        return super().request(method, url, data=data, **rest)
