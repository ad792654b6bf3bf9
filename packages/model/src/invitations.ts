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

/**
 * Maximum links that one transaction ends for one account; a job ends the others. On a busy machine with two cores, one link
 * takes up to 0.25 ms. The group graph is locked for that time.
 */
export const linksAtOnce = 500;

/** `SKIP LOCKED`: another transaction is ending or deleting the locked ones. */
const endOfMaker = statement({
  name: "invitations-of-maker-end",
  text: `UPDATE invitations SET ended_at = now() WHERE id = ANY(ARRAY(
      SELECT i.id FROM users u
        JOIN invitations i ON i.realm_id = u.realm_id AND i.maker_id = u.id AND i.created_at <= u.deactivated_at
      WHERE u.realm_id = $1 AND u.id = $2 AND i.ended_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > now())
      LIMIT ${linksAtOnce} FOR NO KEY UPDATE OF i SKIP LOCKED))`,
});

/**
 * Ends links that an account made before it was deactivated. The links stopped working with the deactivation; ended rows
 * are deleted later.
 * @returns how many have ended, at most {@link linksAtOnce}
 */
export function endInvitationsOfMaker(tx: Tx, realmId: number, makerId: number): Promise<number> {
  return tx.count(endOfMaker, [realmId, makerId]);
}

const endOfAddress = statement({
  name: "invitations-of-address-end",
  text: `UPDATE invitations SET ended_at = now() WHERE id = ANY(ARRAY(
      SELECT i.id FROM users u JOIN invitations i ON i.realm_id = u.realm_id AND lower(i.email) = lower(u.delivery_email)
      WHERE u.realm_id = $1 AND u.id = $2 AND i.ended_at IS NULL AND (i.expires_at IS NULL OR i.expires_at > now())
      LIMIT ${linksAtOnce} FOR NO KEY UPDATE OF i SKIP LOCKED))
    RETURNING maker_id AS "makerId"`,
});

/**
 * Ends links for the address of an account. They do not work, because the address has an account.
 * @returns the makers of those that have ended, at most {@link linksAtOnce}
 */
export async function endInvitationsToAddress(
  tx: Tx,
  realmId: number,
  userId: number,
): Promise<Array<number | null>> {
  const ended = await tx.rows(endOfAddress, [realmId, userId]);
  return ended.map(({ makerId }) => makerId);
}

const lockOpen = statement({
  name: "invitations-lock",
  text: `SELECT id, maker_id AS "makerId" FROM invitations
    WHERE realm_id = $1 AND ended_at IS NULL AND id = ANY(ARRAY(
      SELECT $2::int UNION ALL
      (SELECT o.id FROM invitations o
        WHERE o.realm_id = $1 AND o.ended_at IS NULL AND (o.expires_at IS NULL OR o.expires_at > now())
          AND lower(o.email) = lower($3) LIMIT ${linksAtOnce})))
    ORDER BY id FOR NO KEY UPDATE`,
});

/** A link that has not ended, and is locked. */
export type LockedInvitation = RowOf<typeof lockOpen>;

/**
 * Locks the link, if it has not ended, and {@link linksAtOnce} other links of the address that can be used (people.md §2).
 * The lock of the group graph must be held: the rights of the makers cannot change, and only one person at a time can join.
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
