import type { Database } from "@carillon/db";

import { unique } from "./unique.ts";

/**
 * Creates `size` accounts like the given one, in the same groups, for tests of scaling. They cannot log in.
 * @returns ids and delivery addresses, by id
 */
export async function crowd(
  db: Database,
  like: { readonly id: number },
  size: number,
): Promise<Array<{ readonly id: number; readonly deliveryEmail: string }>> {
  const name = unique("crowd");
  const people = await db.rows<{ id: number; deliveryEmail: string }>(
    `INSERT INTO users OVERRIDING SYSTEM VALUE
     SELECT (jsonb_populate_record(u, jsonb_build_object(
       'id', nextval(pg_get_serial_sequence('users', 'id')), 'full_name', '${name} ' || n,
       'email', '${name}-' || n || '@crowd.test', 'delivery_email', '${name}-' || n || '@crowd.test',
       'api_key_digest', '\\x' || md5('${name}-' || n)))).*
     FROM users u, generate_series(1, $2::int) AS n WHERE u.id = $1
     RETURNING id, delivery_email AS "deliveryEmail"`,
    [like.id, size],
  );
  // Otherwise connections keep a plan for foreign key checks that was made for few users.
  await db.rows("ANALYZE users");
  await db.rows(
    `INSERT INTO user_group_member (group_id, user_id)
     SELECT m.group_id, n.id FROM user_group_member m, unnest($2::int[]) AS n (id) WHERE m.user_id = $1`,
    [like.id, people.map(({ id }) => id)],
  );
  return people.sort((a, b) => a.id - b.id);
}
