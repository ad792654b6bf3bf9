"""Calls what programs in Python call, and tells each answer, one JSON object a line."""

import json
import sys

import zulip

client = zulip.Client(config_file=sys.argv[1])
newest = {"anchor": "newest", "num_before": 5, "num_after": 0}
narrow = [{"operator": "channel", "operand": "general"}]

calls = {
    "get_server_settings": client.get_server_settings,
    "get_profile": client.get_profile,
    "get_members": client.get_members,
    "get_streams": client.get_streams,
    "get_subscriptions": client.get_subscriptions,
    "get_messages": lambda: client.get_messages({**newest, "narrow": narrow}),
    "render_message": lambda: client.render_message({"content": "*slanted*"}),
    "call_endpoint": lambda: client.call_endpoint(url="users/me", method="GET"),
}
for name, call in calls.items():
    print(json.dumps({"msg": name, "answer": call()}), flush=True)
