import { invitesChanged, type NewEvent, roles } from "@carillon/contract";
import { type RowOf, type Sql, statement, type Tx } from "@carillon/db";

const audience = statement({
  name: "accounts-seeing-invitations",
  text: `SELECT coalesce(array_agg(id), '{}')::text AS ids FROM users
    WHERE realm_id = $1 AND is_active AND NOT is_bot AND (role <= ${roles.administrator} OR id = ANY($2::int[]))`,
});

/**
 * Makes the event of changed invitations, for administrators and for the accounts that made the invitations.
 * @param makerIds null for a confirmed sign-up, which has no maker
 */
export async function invitesChangedEvents(
  sql: Sql,
  realmId: number,
  makerIds: ReadonlyArray<number | null>,
): Promise<NewEvent[]> {
  const [found] = await sql.rows(audience, [realmId, makerIds]);
  return [invitesChanged({}, { audience: found?.ids ?? "{}" })];
}

const endOfMaker = statement({
  name: "invitations-of-maker-end",
  text: `UPDATE invitations SET ended_at = now()
    WHERE realm_id = $1 AND maker_id = $2 AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
});

/**
 * Ends all links that the account has made, because it is deactivated (users.md §4). The exclusive lock of the group
 * graph must be held: it prevents new ones.
 * @returns the events
 */
export async function endInvitationsOfMaker(
  tx: Tx,
  { id, realmId }: { readonly id: number; readonly realmId: number },
): Promise<NewEvent[]> {
  const count = await tx.count(endOfMaker, [realmId, id]);
  return count === 0 ? [] : invitesChangedEvents(tx, realmId, [id]);
}

const lockOpen = statement({
  name: "invitations-lock",
  text: `SELECT id, maker_id AS "makerId" FROM invitations
    WHERE realm_id = $1 AND ended_at IS NULL AND id = ANY(ARRAY(
      SELECT $2::int UNION ALL
      SELECT o.id FROM invitations o WHERE o.realm_id = $1 AND o.ended_at IS NULL AND lower(o.email) = lower($3)))
    ORDER BY id FOR NO KEY UPDATE`,
});

/** A link that has not ended, and is locked. */
export type LockedInvitation = RowOf<typeof lockOpen>;

/**
 * Locks the link, if it has not ended, and all other such links of the address (people.md §2). The lock of the group graph
 * must be held: it keeps the rights of their makers.
 * @param id 0 if a person comes without a link
 */
export function lockInvitations(
  tx: Tx,
  realmId: number,
  id: number,
  email: string | null,
): Promise<LockedInvitation[]> {
  return tx.lock({ name: "invitations" }, lockOpen, [realmId, id, email]);
}

const end = statement({
  name: "invitations-end",
  text: "UPDATE invitations SET ended_at = now() WHERE realm_id = $1 AND id = ANY($2::int[])",
});

/** Ends links, whose rows must be locked. */
export async function endInvitations(
  tx: Tx,
  realmId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length > 0) await tx.rows(end, [realmId, ids]);
}
