import { roles, type BotObject } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { hasPowerOfOwnersSql } from "../users/administration.ts";
import type { Viewer } from "../users/address-viewers.ts";

/** Owners alone administer a bot with the power of owners (users.md §5). */
const administered = statement({
  name: "administered-bots",
  text: `SELECT v.id AS viewer, json_build_object('user_id', b.id, 'services', '[]'::json,
      'default_sending_stream', s.name, 'default_events_register_stream', e.name,
      'default_all_public_streams', b.default_all_public_channels) AS bot
    FROM unnest($2::int[], $3::int[]) AS v (id, role)
      JOIN users b ON b.realm_id = $1 AND b.is_bot AND b.system_bot_kind IS NULL
        AND (v.role <= ${roles.administrator} OR b.bot_owner_id = v.id) AND (v.role = ${roles.owner} OR NOT ${hasPowerOfOwnersSql("b")})
        AND ($4::int[] IS NULL OR b.id = ANY($4))
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

/**
 * The bots that each viewer may administer: their own, and for administrators all of them; in the order of their ids.
 * @param botIds only these bots; all of the organization unless given
 */
export function loadAdministeredBots(
  sql: Sql,
  realmId: number,
  viewers: readonly Viewer[],
  botIds?: readonly number[],
): Promise<Administered[]> {
  return sql.rows(administered, [
    realmId,
    viewers.map(({ id }) => id),
    viewers.map(({ role }) => role),
    botIds ?? null,
  ]);
}

const administratorsOf = statement({
  name: "administrators-of-bots",
  text: `SELECT id, role FROM users
    WHERE realm_id = $1 AND is_active AND system_bot_kind IS NULL
      AND (role <= ${roles.administrator} OR id = ANY($2::int[]))
    ORDER BY id`,
  row: { id: column.int, role: column.int },
});

/** Active accounts that may administer one of the bots, whatever its role: its owner, and all administrators. */
export async function administratorsOfBots(
  sql: Sql,
  realmId: number,
  bots: readonly { readonly botOwnerId: number | null }[],
): Promise<Viewer[]> {
  if (bots.length === 0) return [];
  return sql.rows(administratorsOf, [realmId, bots.map(({ botOwnerId }) => botOwnerId)]);
}
