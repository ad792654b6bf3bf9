import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";

/** `POST /default_streams` (channels.md §8). */
export const addDefaultChannel = operation({
  id: "add-default-channel",
  method: "POST",
  path: "/api/v1/default_streams",
  access: "account",
  idempotencyKey: true,
  summary: "Add a default channel",
  example: {
    as: "owner",
    made: { STREAM_ID: ["create-channel", "id"] },
    params: { stream_id: "$STREAM_ID" },
  },
  description:
    "New members will be subscribed to it. For administrators. Private and archived channels are refused.",
  params: { stream_id: form.id() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

/** `DELETE /default_streams` (channels.md §8). */
export const removeDefaultChannel = operation({
  id: "remove-default-channel",
  method: "DELETE",
  path: "/api/v1/default_streams",
  access: "account",
  idempotencyKey: true,
  summary: "Remove a default channel",
  example: { as: "owner" },
  description: "Existing subscriptions stay. For administrators.",
  params: { stream_id: form.id() },
  errors: ["UNAUTHORIZED_PRINCIPAL"],
});

export const defaultChannelsChanged = event({
  type: "default_streams",
  about:
    "The default channels of new members changed: the event has all of them. For guests the list is empty.",
  to: "some",
  receivers: "all accounts except guests; an account that becomes a guest or stops being one",
  fields: { default_streams: z.array(z.int()) },
  snapshot: { field: "realm_default_streams", becomes: "default_streams" },
});
