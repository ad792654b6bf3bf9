import { column, statement } from "@carillon/db";

import type { Section } from "../context/section.ts";

const newestOwn = statement({
  name: "newest-own-message",
  text: "SELECT coalesce(max(message_id), -1) AS id FROM user_messages WHERE user_id = $1",
  row: { id: column.bigint },
});

/** The newest message that the account has got; −1 when it has none. */
export const newestMessage: Section = {
  names: ["message"],
  async load({ tx, actor }) {
    const newest = await tx.first(newestOwn, [actor.id]);
    return { max_message_id: newest?.id ?? -1 };
  },
};
