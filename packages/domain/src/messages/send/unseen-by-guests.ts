import { roles } from "@carillon/contract";
import { statement, type Sql } from "@carillon/db";
import { restrictsGuests, seesByChannel, sharesConversation } from "@carillon/model";

/** Selects pairs of an author who is a guest and a named user that this author cannot see (users.md §2.1). */
const unseenByGuests = statement({
  name: "mentioned-unseen-by-guests",
  text: `SELECT a.id AS "authorId", u.id AS "userId"
    FROM users a JOIN realms ON realms.id = a.realm_id CROSS JOIN LATERAL (
      SELECT id FROM users WHERE realm_id = $1 AND lower(full_name) = ANY(ARRAY(SELECT lower(unnest($3::text[]))))
      UNION SELECT id FROM users WHERE realm_id = $1 AND id = ANY(ARRAY(SELECT unnest($4::int[])))
    ) named JOIN users u ON u.id = named.id
    WHERE a.realm_id = $1 AND a.id = ANY(ARRAY(SELECT unnest($2::int[]))) AND a.role = ${roles.guest}
      AND ${restrictsGuests} AND NOT u.is_bot AND u.id <> a.id
      AND NOT ${seesByChannel("a.id", "u.id")}
      AND NOT ${sharesConversation("$1", "a.id", "u.id")}`,
});

/** Authors of texts, and the users that the texts name. */
interface Naming {
  readonly authorIds: readonly number[];
  readonly userNames: readonly string[];
  readonly userIds: readonly number[];
}

/**
 * Returns the named users that each author cannot see, by author. Their names are not rendered as mentions, so that a guest
 * cannot find out which users exist. Empty if guests see all users.
 */
export async function loadUnseenByGuests(
  sql: Sql,
  realmId: number,
  { authorIds, userNames, userIds }: Naming,
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const unseen = new Map<number, Set<number>>();
  const pairs = await sql.rows(unseenByGuests, [realmId, authorIds, userNames, userIds]);
  for (const { authorId, userId } of pairs) {
    const ids = unseen.get(authorId) ?? new Set();
    unseen.set(authorId, ids.add(userId));
  }
  return unseen;
}
