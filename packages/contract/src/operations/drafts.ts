import * as z from "zod";
import { event } from "../primitives/event.ts";
import { form } from "../primitives/form.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { shape } from "../primitives/shape.ts";

/** Maximum number of drafts of one account: each registration returns all of them. */
export const maxDrafts = 1_000;

const types = ["stream", "private", ""] as const;

/** A draft in a request. */
const givenDraft = z.strictObject({
  type: z.enum(types).describe("Empty while the recipient is undecided."),
  to: z.array(shape.id).describe("The ID of the channel, or the IDs of the users."),
  topic: z.string(),
  content: z.string(),
  timestamp: z
    .number()
    .min(0)
    .max(253_402_300_799)
    .optional()
    .describe("UNIX seconds of the last change, now unless given."),
});

export type GivenDraft = z.output<typeof givenDraft>;

/** A stored draft in answers. */
export const draftResource = z.strictObject({
  id: z.int(),
  type: z.enum(types),
  to: z.array(z.int()),
  topic: z.string(),
  content: z.string(),
  /** UNIX seconds */
  timestamp: z.int(),
});

export type DraftResource = z.output<typeof draftResource>;

/** `GET /drafts` (clients.md §4). */
export const listDrafts = operation({
  id: "get-drafts",
  method: "GET",
  path: "/api/v1/drafts",
  access: "account",
  summary: "Get drafts",
  result: { count: z.int(), drafts: z.array(draftResource) },
});

/** `POST /drafts` (clients.md §4). */
export const createDrafts = operation({
  id: "create-drafts",
  method: "POST",
  path: "/api/v1/drafts",
  access: "account",
  idempotencyKey: true,
  summary: "Create drafts",
  example: {
    params: { drafts: [{ type: "stream", to: [1], topic: "hello", content: "To be continued" }] },
  },
  params: {
    drafts: form
      .json(z.array(givenDraft), { maxItems: { count: maxDrafts, of: "drafts" }, fractions: true })
      .describe("Stores all drafts or none."),
  },
  result: { ids: z.array(z.int()).describe("IDs of the drafts, in the given order.") },
});

/** `PATCH /drafts/{draft_id}` (clients.md §4). */
export const updateDraft = operation({
  id: "edit-draft",
  method: "PATCH",
  path: "/api/v1/drafts/{draft_id}",
  pathParams: { draft_id: path.int() },
  access: "account",
  idempotencyKey: true,
  summary: "Edit a draft",
  example: {
    made: { DRAFT_ID: ["create-drafts", "ids"] },
    path: { draft_id: "$DRAFT_ID" },
    params: { draft: { type: "stream", to: [1], topic: "hello", content: "Continued" } },
  },
  params: { draft: form.json(givenDraft, { fractions: true }).describe("The whole draft.") },
  missingIs404: true,
});

/** `DELETE /drafts/{draft_id}` (clients.md §4). */
export const deleteDraft = operation({
  id: "delete-draft",
  method: "DELETE",
  path: "/api/v1/drafts/{draft_id}",
  pathParams: { draft_id: path.int() },
  access: "account",
  idempotencyKey: true,
  summary: "Delete a draft",
  example: { made: { DRAFT_ID: ["create-drafts", "ids"] }, path: { draft_id: "$DRAFT_ID" } },
  missingIs404: true,
});

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
