"""A bot that answers whoever mentions it, and prints what it does, one JSON object per line."""

import json
import sys

import zulip


def show(msg, **fields):
    print(json.dumps({"msg": msg, **fields}), flush=True)


class Bot(zulip.Client):
    def register(self, *args, **kwargs):
        answer = super().register(*args, **kwargs)
        show("registered", answer=answer)
        return answer


bot = Bot(config_file=sys.argv[1])
own_id = bot.get_profile()["user_id"]


def hear(event):
    message = event["message"]
    show("heard", event=event["id"], id=message["id"], content=message["content"])
    if message["sender_id"] == own_id or "mentioned" not in event["flags"]:
        return
    to = message["display_recipient"]
    if message["type"] == "private":
        to = [person["id"] for person in to]
    answer = bot.send_message(
        {
            "type": message["type"],
            "to": to,
            "subject": message["subject"],
            "content": f"You said: {message['content']}",
        }
    )
    show("answered", answer=answer)


bot.call_on_each_event(hear, event_types=["message"])
