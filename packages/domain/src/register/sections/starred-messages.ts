import { column, statement } from "@carillon/db";
import { flag } from "@carillon/model";
import type { Section } from "../context/section.ts";

const starredBy = statement({
  name: "starred-messages",
  // One JSON text: 20,000 rows kept the event loop for 20 ms.
  text: `SELECT coalesce(json_agg(message_id ORDER BY message_id), '[]') AS ids FROM user_messages
    WHERE user_id = $1 AND flags & ${flag.starred} <> 0`,
  row: { ids: column.json<number[]>() },
});

/** The ids of the messages that the account has starred, ascending. */
export const starredMessages: Section = {
  names: ["starred_messages"],
  async load({ tx, actor }) {
    const starred = await tx.first(starredBy, [actor.id]);
    return { starred_messages: starred?.ids ?? [] };
  },
};
