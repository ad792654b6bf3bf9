import type { Formatter } from "./delivery.ts";

/**
 * `realm_emoji`: one by one, or all of them. The log keeps the single change (`add`, `update_one`) and, beside its
 * fields, `realm_emoji`: all emoji after it.
 */
export const formatEmojiChange: Formatter = (delivery) => {
  const { realm_emoji, ...change } = delivery.fields();
  if (delivery.event.op === "update") return [delivery.with({ realm_emoji })];
  return delivery.has("individual_emoji_changes")
    ? [delivery.with(change)]
    : [delivery.with({ realm_emoji }, "update")];
};

/** `realm_linkifiers`: none for clients that do not know their templates. */
export const formatLinkifiers: Formatter = (delivery) => {
  const fields = delivery.fields();
  if (delivery.has("linkifier_url_template")) return [delivery.with(fields)];
  return [delivery.with({ ...fields, realm_linkifiers: [] })];
};
