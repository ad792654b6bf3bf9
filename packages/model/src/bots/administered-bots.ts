import { roles, type BotObject } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import type { Viewer } from "../users/address-viewers.ts";

/** Owners alone administer a bot that may create users (users.md §5). */
const administered = statement({
  name: "administered-bots",
  text: `SELECT v.id AS viewer, json_build_object('user_id', b.id, 'services', '[]'::json,
      'default_sending_stream', s.name, 'default_events_register_stream', e.name,
      'default_all_public_streams', b.default_all_public_channels) AS bot
    FROM unnest($2::int[], $3::int[]) AS v (id, role)
      JOIN users b ON b.realm_id = $1 AND b.is_bot AND b.system_bot_kind IS NULL
        AND (v.role <= ${roles.administrator} OR b.bot_owner_id = v.id) AND (v.role = ${roles.owner} OR NOT b.can_create_users)
      LEFT JOIN channels s ON s.id = b.default_sending_channel_id
      LEFT JOIN channels e ON e.id = b.default_events_register_channel_id
    ORDER BY b.id, v.id`,
  row: { viewer: column.int, bot: column.json<BotObject>() },
});

/** A bot, and one of those who administer it. */
export interface Administered {
  readonly viewer: number;
  readonly bot: BotObject;
}

/** The bots that each viewer may administer: their own, and for administrators all of them; in the order of their ids. */
export function loadAdministeredBots(
  sql: Sql,
  realmId: number,
  viewers: readonly Viewer[],
): Promise<Administered[]> {
  return sql.rows(administered, [
    realmId,
    viewers.map(({ id }) => id),
    viewers.map(({ role }) => role),
  ]);
}
