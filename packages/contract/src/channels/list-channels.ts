import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { channelObject } from "./channel-object.ts";

/** `GET /streams` (channels.md §7). */
export const listChannels = operation({
  id: "list-channels",
  method: "GET",
  path: "/api/v1/streams",
  access: "account",
  summary: "List channels",
  description:
    "Whatever the parameters, only channels that the caller, or a bot's owner, may know of.",
  params: {
    include_public: form.bool().default(true).describe("No effect for guests."),
    include_web_public: form.bool().default(false),
    include_subscribed: form.bool().default(true),
    exclude_archived: form.bool().default(true),
    include_all: form
      .bool()
      .default(false)
      .alias("include_all_active")
      .describe("Every channel that the caller may know of."),
    include_default: form.bool().default(false).describe("Adds `is_default`."),
    include_owner_subscribed: form
      .bool()
      .default(false)
      .describe("For bots: the channels of the owner."),
    include_can_access_content: form
      .bool()
      .default(false)
      .describe("Every channel whose messages the caller may read."),
  },
  result: { streams: z.array(channelObject) },
});
