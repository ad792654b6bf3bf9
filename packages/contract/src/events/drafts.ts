import { z } from "zod";
import { draftResource } from "../operations/drafts.ts";
import { event } from "./event.ts";

export const draftsAdded = event({
  type: "drafts",
  op: "add",
  about: "The account has stored drafts.",
  to: "some",
  receivers: "the account",
  fields: { drafts: z.array(draftResource) },
  snapshot: { list: "drafts", by: "id", adds: "drafts" },
});

export const draftUpdated = event({
  type: "drafts",
  op: "update",
  about: "The account has changed a draft: the event has the whole draft.",
  to: "some",
  receivers: "the account",
  fields: { draft: draftResource },
  snapshot: { list: "drafts", by: "id", replaces: "draft" },
});

export const draftRemoved = event({
  type: "drafts",
  op: "remove",
  about: "The account has deleted a draft.",
  to: "some",
  receivers: "the account",
  fields: { draft_id: z.int() },
  snapshot: { list: "drafts", by: "id", removes: "draft_id" },
});
