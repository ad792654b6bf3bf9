import type { Database } from "@carillon/db";

import { unique } from "./unique.ts";

/** Creates `count` channels with the permissions of the given one and without subscribers, for tests of scaling. */
export async function channelsLike(
  db: Database,
  like: { readonly id: number },
  count: number,
  madeAt = new Date(),
): Promise<void> {
  const name = unique("many");
  await db.rows(
    `WITH made AS (
       INSERT INTO channels SELECT (jsonb_populate_record(c, jsonb_build_object(
         'id', nextval(pg_get_serial_sequence('channels', 'id')), 'name', '${name} ' || n, 'date_created', $3::timestamptz,
         'subscriber_count', 0))).*
       FROM channels c, generate_series(1, $2::int) AS n WHERE c.id = $1 RETURNING id, realm_id
     ) INSERT INTO recipients (realm_id, channel_id) SELECT realm_id, id FROM made`,
    [like.id, count, madeAt],
  );
}

/** Creates `count` user groups like the given one, without members, for tests of scaling. */
export async function groupsLike(
  db: Database,
  like: { readonly id: number },
  count: number,
  madeAt = new Date(),
): Promise<void> {
  const name = unique("many");
  await db.rows(
    `WITH made AS (
       INSERT INTO user_group (realm_id) SELECT g.realm_id FROM user_group g, generate_series(1, $2::int) WHERE g.id = $1
       RETURNING id
     ) INSERT INTO named_user_group SELECT (jsonb_populate_record(g, jsonb_build_object(
         'id', made.id, 'name', '${name} ' || made.id, 'date_created', $3::timestamptz))).*
       FROM named_user_group g, made WHERE g.id = $1`,
    [like.id, count, madeAt],
  );
}
