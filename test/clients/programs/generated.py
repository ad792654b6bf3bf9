"""Schedules, lists and deletes messages with a client generated from the OpenAPI document; prints each answer."""

import json
import sys

import httpx
from json_forms import JsonForms

folder, url, email, key, when, channel, *people = sys.argv[1:]
sys.path.insert(0, folder)

from generated import Client  # noqa: E402
from generated.api.scheduled_messages import (  # noqa: E402
    create_scheduled_message,
    delete_scheduled_message,
    list_scheduled_messages,
)
from generated.models import (  # noqa: E402
    CreateScheduledMessageBody as Message,
    CreateScheduledMessageBodyType as Type,
)

credentials = httpx.BasicAuth(email, key)
plain = Client(base_url=url, httpx_args={"auth": credentials})
client = Client(base_url=url).set_httpx_client(JsonForms(base_url=url, auth=credentials))


def show(name, answer):
    print(json.dumps({"msg": name, "answer": answer.to_dict()}), flush=True)
    return answer


def schedule(name, by, **fields):
    body = Message(scheduled_delivery_timestamp=int(when), **fields)
    return show(name, create_scheduled_message.sync(client=by, body=body)).scheduled_message_id


text = "Written by a program & sent = 100 %: ä 🔔"
to_channel = {"type_": Type.CHANNEL, "to": int(channel), "topic": "generated"}
ids = [
    schedule("channel, as generated", plain, content=text, **to_channel),
    schedule("channel", client, content=text, read_by_sender=True, **to_channel),
    schedule("direct", client, content=text, type_=Type.DIRECT, to=[int(id) for id in people]),
]
show("list", list_scheduled_messages.sync(client=client))
for id in ids:
    show("delete", delete_scheduled_message.sync(scheduled_message_id=id, client=client))
show("list after", list_scheduled_messages.sync(client=client))
show("delete again", delete_scheduled_message.sync(scheduled_message_id=ids[0], client=client))
