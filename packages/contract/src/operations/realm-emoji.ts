import * as z from "zod";
import { event } from "../primitives/event.ts";
import { operation } from "../primitives/operation.ts";
import { path } from "../primitives/path.ts";
import { examplePicture, takesPicture } from "./pictures.ts";

/** One of an organization's own emoji. */
export const emojiObject = z.strictObject({
  id: z.string(),
  name: z.string(),
  source_url: z.string().describe("The address of the picture on this server."),
  still_url: z
    .string()
    .nullable()
    .describe("The first frame of an animated emoji; null for others."),
  deactivated: z.boolean(),
  author_id: z.int(),
});

export type EmojiObject = z.infer<typeof emojiObject>;

/** Maximum active emoji of an organization. */
export const maxActiveEmoji = 1_000;

/** Maximum emoji of an organization, deactivated ones included: every registration gets all of them. */
export const maxEmoji = 5_000;

/** Maximum characters of an emoji's name. Texts do not show emoji with longer names. */
export const maxEmojiName = 100;

const pathParams = { emoji_name: path.text() };

/** `GET /realm/emoji` (files.md §6). */
export const listRealmEmoji = operation({
  id: "list-realm-emoji",
  method: "GET",
  path: "/api/v1/realm/emoji",
  access: "account",
  summary: "Get the organization's own emoji",
  description:
    "By ID. Deactivated emoji are included, because messages and reactions still show them.",
  result: { emoji: z.record(z.string(), emojiObject) },
});

/** `POST /realm/emoji/{emoji_name}` (files.md §6). */
export const addRealmEmoji = operation({
  id: "add-realm-emoji",
  method: "POST",
  path: "/api/v1/realm/emoji/{emoji_name}",
  pathParams,
  access: "account",
  ...takesPicture,
  summary: "Add an emoji",
  description:
    "The form has exactly one file part, of any name: a picture of at most 5 MiB (AVIF, GIF, JPEG, PNG, WebP). It is cut to a " +
    "square of 64 × 64 pixels, and stays animated. The name has up to 100 of a-z, 0-9, _ and -.",
  example: {
    path: { emoji_name: "green_dot" },
    file: { name: "dot.png", base64: examplePicture },
  },
});

/** `DELETE /realm/emoji/{emoji_name}` (files.md §6). */
export const deactivateRealmEmoji = operation({
  id: "deactivate-realm-emoji",
  method: "DELETE",
  path: "/api/v1/realm/emoji/{emoji_name}",
  pathParams,
  access: "account",
  idempotencyKey: true,
  summary: "Deactivate an emoji",
  description:
    "For administrators and the author of the emoji. Messages and reactions that have it stay as they are.",
  example: { path: { emoji_name: "party_parrot" }, refused: [404, "the demo has no such emoji"] },
  missingIs404: true,
});

export const emojiReplaced = event({
  type: "realm_emoji",
  op: "update",
  about: "The organization's emoji changed: the event has all of them.",
  to: "everybody",
  fields: { realm_emoji: z.record(z.string(), emojiObject) },
});

/** Returns the approximate weight of all emoji, for older clients; 0 for a single change. */
function weightOfAll(fields: object): number {
  return "realm_emoji" in fields ? 250 * Object.keys(fields.realm_emoji ?? {}).length : 0;
}

// The event log does not store the list of all emoji, which may take a megabyte. The poll inserts the current list.
const older = {
  individual_emoji_changes: { about: "`update`, with all emoji.", becomes: [emojiReplaced] },
};

export const emojiAdded = event({
  type: "realm_emoji",
  op: "add",
  about: "An emoji was added.",
  to: "everybody",
  fields: { emoji: emojiObject },
  older,
  changesPresentation: true,
  weight: weightOfAll,
});

export const emojiUpdated = event({
  type: "realm_emoji",
  op: "update_one",
  about: "An emoji was deactivated.",
  to: "everybody",
  fields: { emoji_id: z.string(), data: z.strictObject({ deactivated: z.boolean() }) },
  older,
  changesPresentation: true,
  weight: weightOfAll,
});
