"""Edits, reacts to, flags, moves and deletes messages as a bot would; prints each answer as one line of JSON."""

import json
import sys

import zulip

client = zulip.Client(config_file=sys.argv[1])
other = zulip.Client(config_file=sys.argv[2])


def show(name, answer):
    print(json.dumps({"msg": name, "answer": answer}), flush=True)
    return answer


def send(content, topic):
    message = {"type": "stream", "to": "general", "topic": topic, "content": content}
    return client.send_message(message)["id"]


first = send("The *first* of the day", "python day")
second = send("Ring the bells at noon", "python day")
general = client.get_stream_id("general")["stream_id"]
narrow = [{"operator": "stream", "operand": "general"}, {"operator": "topic", "operand": "python day"}]

show("update_message", client.update_message({"message_id": first, "content": "The **very** first"}))
show("get_raw_message", client.get_raw_message(first))
show("get_message_history", client.get_message_history(first))
show("add_reaction", other.add_reaction({"message_id": first, "emoji_name": "octopus"}))
show("add_reaction again", other.add_reaction({"message_id": first, "emoji_name": "octopus"}))
show("add_reaction of mine", client.add_reaction({"message_id": first, "emoji_name": "tada"}))
show("remove_reaction", client.remove_reaction({"message_id": first, "emoji_name": "tada"}))
starred = {"messages": [first, second], "op": "add", "flag": "starred"}
show("update_message_flags", client.update_message_flags(starred))
show("mark_topic_as_read", client.mark_topic_as_read(general, "python day"))
show("get_messages", client.get_messages({"anchor": first, "num_before": 0, "num_after": 9, "narrow": narrow}))
found = narrow + [{"operator": "search", "operand": "bell"}]
show("search", client.get_messages({"anchor": "newest", "num_before": 9, "num_after": 0, "narrow": found}))
matching = {"msg_ids": [first, second], "narrow": [{"operator": "has", "operand": "reaction"}]}
show("check_messages_match_narrow", client.check_messages_match_narrow(**matching))
renamed = {"message_id": first, "topic": "python evening", "propagate_mode": "change_all"}
show("update_message of the topic", client.update_message(renamed))
resolved = {"message_id": first, "topic": "\u2714 python evening", "propagate_mode": "change_all"}
show("resolve", client.update_message(resolved))
show("get_stream_topics", client.get_stream_topics(general))
show("get_messages later", client.get_messages({"message_ids": [first, second]}))
show("delete_message", client.delete_message(second))
show("delete_message again", client.delete_message(second))
show("mark_stream_as_read", other.mark_stream_as_read(general))
show("mark_all_as_read", other.mark_all_as_read())
