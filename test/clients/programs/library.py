"""Makes the calls that Python programs make; prints each answer as one line of JSON."""

import base64
import io
import json
import sys
import urllib.request

import zulip

client = zulip.Client(config_file=sys.argv[1])
admin = zulip.Client(config_file=sys.argv[2])
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


def show(name, answer):
    print(json.dumps({"msg": name, "answer": answer}), flush=True)
    return answer


for name, call in calls.items():
    show(name, call())


def ask(who, method, url, **request):
    return show(method + " " + url, who.call_endpoint(url=url, method=method, request=request))


# As in the library's documentation.
defaults = {"left_side_userlist": True, "emojiset": "text"}
ask(admin, "PATCH", "realm/user_settings_defaults", **defaults)
choices = {"python": {"text": "Python", "order": "1"}, "c": {"text": "C", "order": "2"}}
language = {"name": "Language", "hint": "", "field_type": 3, "field_data": choices}
field_id = ask(admin, "POST", "realm/profile_fields", **language)["id"]
ask(client, "PATCH", "users/me/profile_data", data=[{"id": field_id, "value": "c"}])
with_fields = {"include_custom_profile_fields": True}
show("get_user_by_id", admin.get_user_by_id(client.get_profile()["user_id"], **with_fields))
ask(admin, "PATCH", "realm/profile_fields", order=[field_id])
ask(admin, "GET", "realm/profile_fields")
own_id = admin.get_profile()["user_id"]
profile_data = [{"id": field_id, "value": "python"}]
show("update_user_by_id", admin.update_user_by_id(own_id, profile_data=profile_data))
show("get_user_by_id again", admin.get_user_by_id(own_id, **with_fields))
ask(client, "DELETE", "users/me/profile_data", data=[field_id])
ask(admin, "DELETE", "realm/profile_fields/%d" % field_id)

# A file, from the upload to its end; `admin` reads it by the link of the message.
with open(__file__, "rb") as own_text:
    file = show("upload_file", client.upload_file(own_text))
link = "[library.py](%s)" % file["url"]
message = {"type": "stream", "to": "general", "topic": "files", "content": link}
show("send_message with a file", client.send_message(message))
read = show("GET user_uploads", admin.call_endpoint(url=file["url"][1:], method="GET"))
with urllib.request.urlopen(client.base_url[: -len("/api/")] + read["url"]) as answer:
    with open(__file__, "rb") as own_text:
        same = answer.read() == own_text.read()
    show("temporary URL", {"result": "success", "same": same, "type": answer.headers["Content-Type"]})
own_files = show("get_attachments", client.get_attachments())["attachments"]
ask(client, "DELETE", "attachments/%d" % own_files[0]["id"])
show("get_attachments again", client.get_attachments())
show("GET user_uploads again", admin.call_endpoint(url=file["url"][1:], method="GET"))

# An avatar and an emoji; `admin` gets their events.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"


def picture():
    file = io.BytesIO(base64.b64decode(PIXEL))
    file.name = "pixel.png"
    return file


queue = admin.register(event_types=["realm_emoji", "realm_user"])
show("upload_custom_emoji", client.upload_custom_emoji("library_pixel", picture()))
emoji = show("get_realm_emoji", client.get_realm_emoji())["emoji"]
avatar = {"url": "users/me/avatar", "method": "POST", "files": [picture()]}
show("POST users/me/avatar", client.call_endpoint(**avatar))
ask(client, "DELETE", "users/me/avatar")
ask(client, "DELETE", "realm/emoji/library_pixel")
poll = {"queue_id": queue["queue_id"], "last_event_id": -1, "dont_block": True}
show("get_events", admin.get_events(**poll))

# Invitations: the library has no methods of its own for them, and leaves None out of requests.
queue = admin.register(event_types=["invites_changed"])
emails = "one@example.com, Two Names <two@example.com>"
options = {"stream_ids": [], "invite_as": 600, "invite_expires_in_minutes": "null"}
show("POST invites", client.call_endpoint("invites", request={"invitee_emails": emails, **options}))
known = admin.get_profile()["delivery_email"]
some = {"invitee_emails": known + "\nthree@example.com", "stream_ids": []}
show("POST invites to an account", client.call_endpoint("invites", request=some))
invites = show("GET invites", client.call_endpoint("invites", method="GET"))["invites"]
show("POST resend", client.call_endpoint("invites/%d/resend" % invites[0]["id"]))
show("DELETE invites", client.call_endpoint("invites/%d" % invites[0]["id"], method="DELETE"))
ask(admin, "POST", "invites/multiuse", include_realm_default_subscriptions=True)
reusable = admin.call_endpoint("invites", method="GET")["invites"][-1]
show("the reusable link", {"result": "success", **reusable})
url = "invites/multiuse/%d" % reusable["id"]
show("DELETE invites/multiuse", admin.call_endpoint(url, method="DELETE"))
poll = {"queue_id": queue["queue_id"], "last_event_id": -1, "dont_block": True}
show("invites_changed", admin.get_events(**poll))

# Requests with a key, whose answers have a marker: both by the session that the library keeps.
markers = []


def note_marker(response, **_):
    markers.append(response.headers.get("Idempotent-Replayed"))


client.ensure_session()
client.session.hooks["response"].append(note_marker)
client.session.headers["Idempotency-Key"] = "key-of-the-library"
message = {"type": "stream", "to": "general", "topic": "library", "content": "Sent once"}
ids = [client.send_message(message)["id"], client.send_message(message)["id"]]
show("send_message", {"result": "success", "ids": ids, "markers": markers})
