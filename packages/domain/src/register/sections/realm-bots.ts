import type { Section } from "../section.ts";

/** What goes beyond the user object of a bot; services are those of outgoing webhooks, which there are none of yet. */
interface BotObject {
  user_id: number;
  services: [];
  /** Names of channels. */
  default_sending_stream: string | null;
  default_events_register_stream: string | null;
  default_all_public_streams: boolean;
}

/** Owners alone administer a bot that may create users (users.md §5). */
const administered = {
  name: "administered-bots",
  text: `SELECT b.id AS user_id, '[]'::json AS services, s.name AS default_sending_stream,
      e.name AS default_events_register_stream, b.default_all_public_channels AS default_all_public_streams
    FROM users b
      LEFT JOIN channels s ON s.id = b.default_sending_channel_id
      LEFT JOIN channels e ON e.id = b.default_events_register_channel_id
    WHERE b.realm_id = $1 AND b.is_bot AND b.system_bot_kind IS NULL
      AND ($3 <= 200 OR b.bot_owner_id = $2) AND ($3 = 100 OR NOT b.can_create_users)
    ORDER BY b.id`,
};

/** The bots that the caller may administer: their own, and for administrators all of them. */
export const realmBots: Section = {
  names: ["realm_bot"],
  async load({ tx, actor }) {
    const bots = await tx.rows<BotObject>(administered, [actor.realmId, actor.id, actor.role]);
    return { realm_bots: bots };
  },
};
