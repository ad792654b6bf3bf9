import { z } from "zod";
import { mostAccounts } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";
import { creationParameters } from "./creation-parameters.ts";

/** `POST /channels/create` (channels.md §4). */
export const createChannel = operation({
  id: "create-channel",
  method: "POST",
  path: "/api/v1/channels/create",
  access: "non-guest",
  summary: "Create a channel",
  example: { params: { name: "design $RANDOM", subscribers: [6] } },
  description: "The creator is subscribed only if listed.",
  params: {
    name: form.text().describe("At most `max_stream_name_length` characters."),
    description: form
      .text()
      .default("")
      .describe("Markdown; at most `max_stream_description_length` characters."),
    subscribers: form
      .json(z.array(shape.id), { most: mostAccounts })
      .describe("IDs of active users and bots, at most 10,000."),
    ...creationParameters,
  },
  result: { id: z.int() },
  errors: ["CHANNEL_ALREADY_EXISTS", "SYSTEM_GROUP_REQUIRED", "UNAUTHORIZED_PRINCIPAL"],
});
