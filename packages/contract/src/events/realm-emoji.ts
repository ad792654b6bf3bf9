import { z } from "zod";
import { event } from "../primitives/event.ts";

const emoji = z.looseObject({ id: z.string(), name: z.string(), deactivated: z.boolean() });
const all = { realm_emoji: z.record(z.string(), emoji) };

export const emojiReplaced = event({
  type: "realm_emoji",
  op: "update",
  about: "The organization's emoji changed: the event has all of them.",
  to: "everybody",
  fields: all,
  notServedYet: true,
});

const older = {
  individual_emoji_changes: { about: "`update`, with all emoji.", becomes: [emojiReplaced] },
};

export const emojiAdded = event({
  type: "realm_emoji",
  op: "add",
  about: "An emoji was added.",
  to: "everybody",
  fields: { emoji },
  log: { emoji, ...all },
  older,
  notServedYet: true,
});

export const emojiUpdated = event({
  type: "realm_emoji",
  op: "update_one",
  about: "An emoji changed.",
  to: "everybody",
  fields: { emoji },
  log: { emoji, ...all },
  older,
  notServedYet: true,
});
