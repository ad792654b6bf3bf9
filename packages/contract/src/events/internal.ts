import { z } from "zod";
import { event } from "./event.ts";

/** Rows of the log that are for gateways: no client is told. */

export const queueDeleted = event({
  type: "queue_deleted",
  about: "A client has deleted its queue: an open poll on it ends.",
  to: "some",
  fields: { queue_id: z.string() },
  internal: true,
  effect: ({ queue_id }) => ({ queueId: queue_id, ends: "empty" }),
});

export const keyChanged = event({
  type: "api_key_changed",
  about: "An account has another API key: polls that came with the old one end.",
  to: "some",
  fields: { user_id: z.int() },
  internal: true,
  effect: ({ user_id }) => ({ userId: user_id, ends: "refused" }),
});

export const filler = event({
  type: "filler",
  about: "Says nothing: it makes room for more heartbeats.",
  to: "some",
  fields: {},
  internal: true,
});
