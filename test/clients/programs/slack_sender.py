"""Sends messages to an address as to an incoming webhook of Slack, and prints the answers, one JSON object per line."""

import json
import sys

from slack_sdk.models.attachments import Attachment, AttachmentField
from slack_sdk.models.blocks import DividerBlock, HeaderBlock, SectionBlock
from slack_sdk.webhook import WebhookClient

client = WebhookClient(sys.argv[1])
answers = [
    client.send(text="*Deploy* of <https://ci.example.com/7|build 7> <!here>"),
    client.send(
        text="fallback",
        blocks=[
            HeaderBlock(text="Release"),
            SectionBlock(text="_Approve_ it?", fields=["*Priority*", "High"]),
            DividerBlock(),
        ],
    ),
    client.send(
        text="Build",
        attachments=[
            Attachment(
                text="failed", title="Build 7", fields=[AttachmentField(title="Branch", value="main")]
            )
        ],
    ),
]
for answer in answers:
    print(json.dumps({"msg": "answered", "status": answer.status_code, "body": answer.body}), flush=True)
