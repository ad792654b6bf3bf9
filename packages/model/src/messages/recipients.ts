import { createHash } from "node:crypto";

import { statement, notNull, type Sql, type Tx } from "@carillon/db";

/** A direct conversation: the ids of all participants, the sender too, ascending and without duplicates. */
export type Members = readonly number[];

/** Returns the members of a conversation between `senderId` and `userIds`. */
export function membersOf(senderId: number, userIds: readonly number[]): Members {
  return [...new Set([senderId, ...userIds])].sort((a, b) => a - b);
}

/** Returns the key of a conversation for maps. */
export function memberKey(members: Members): string {
  return members.join(",");
}

/** Returns the hash by which the recipient row of a conversation is found. */
export function memberHash(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

export interface DirectRecipient {
  readonly id: number;
  readonly hasMessages: boolean;
}

const found = statement({
  name: "direct-recipients",
  text: `SELECT r.id, r.member_ids AS members,
      EXISTS (SELECT 1 FROM messages m WHERE m.recipient_id = r.id) AS "hasMessages"
    FROM recipients r WHERE r.realm_id = $1 AND r.member_hash = ANY(ARRAY(SELECT unnest($2::bytea[])))`,
  overrides: { members: notNull },
});

/** Finds the conversations that exist, by {@link memberKey}. */
export async function findDirectRecipients(
  sql: Sql,
  realmId: number,
  conversations: readonly Members[],
): Promise<Map<string, DirectRecipient>> {
  if (conversations.length === 0) return new Map();
  const rows = await sql.rows(found, [
    realmId,
    conversations.map((members) => memberHash(memberKey(members))),
  ]);
  return new Map(rows.map((row) => [memberKey(row.members), row]));
}

const made = statement({
  name: "ensure-direct-recipients",
  text: `WITH wanted AS (
      SELECT members::int[] AS members, hash FROM unnest($2::text[], $3::bytea[]) AS w (members, hash)
    ), made AS (
      INSERT INTO recipients (realm_id, member_ids, member_hash)
      SELECT $1, members, hash FROM wanted ORDER BY hash ON CONFLICT DO NOTHING RETURNING id, member_ids
    )
    SELECT id, member_ids AS members FROM made
    UNION ALL
    SELECT r.id, r.member_ids FROM recipients r JOIN wanted w ON r.realm_id = $1 AND r.member_hash = w.hash`,
  overrides: { id: notNull, members: notNull },
});

/** Returns the recipient ids of conversations by {@link memberKey}; creates missing ones. */
export async function ensureDirectRecipients(
  tx: Tx,
  realmId: number,
  conversations: readonly Members[],
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const keys = [...new Set(conversations.map(memberKey))];
  if (keys.length === 0) return ids;
  // A row that a concurrent transaction has just inserted appears in neither half of the statement: run it again.
  for (let missing = keys; missing.length > 0; missing = keys.filter((key) => !ids.has(key))) {
    const rows = await tx.lock({ name: "conversations", fresh: true }, made, [
      realmId,
      missing.map((key) => `{${key}}`),
      missing.map(memberHash),
    ]);
    for (const { id, members } of rows) ids.set(memberKey(members), id);
  }
  return ids;
}
