import { flag } from "../../messages/flags.ts";
import type { Section } from "../section.ts";

/** The ids of the messages that the account has starred, ascending. */
export const starredMessages: Section = {
  names: ["starred_messages"],
  async load({ tx, actor }) {
    const rows = await tx.rows<{ id: number }>(
      {
        name: "starred-messages",
        text: `SELECT message_id AS id FROM user_messages
          WHERE user_id = $1 AND flags & ${flag.starred} <> 0 ORDER BY message_id`,
      },
      [actor.id],
    );
    return { starred_messages: rows.map(({ id }) => id) };
  },
};
