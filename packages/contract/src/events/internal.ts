import * as z from "zod";
import { event } from "../primitives/event.ts";

/** Rows of the log for gateways only: clients do not get them. */

export const queueDeleted = event({
  type: "queue_deleted",
  about: "A client has deleted its event queue: an open poll of the queue ends.",
  to: "some",
  fields: { queue_id: z.string() },
  internal: true,
  effect: ({ queue_id }) => ({ queueId: queue_id, ends: "empty" }),
});

export const keyChanged = event({
  type: "api_key_changed",
  about: "An account has a new API key: polls with the old key end.",
  to: "some",
  fields: { user_id: z.int() },
  internal: true,
  effect: ({ user_id }) => ({ userId: user_id, ends: "refused" }),
});

export const filler = event({
  type: "filler",
  about: "An empty event that makes more heartbeat ids available.",
  to: "some",
  fields: {},
  internal: true,
});
