import { statement, type Tx } from "@carillon/db";

/** `LEAST` ignores nulls: the 30 days begin when a link has expired or ended, whichever came first. */
export const clearLinks = statement({
  name: "invitations-clear",
  text: `DELETE FROM invitations WHERE id = ANY (ARRAY(
      SELECT id FROM invitations WHERE LEAST(expires_at, ended_at) < now() - interval '30 days'
      ORDER BY LEAST(expires_at, ended_at) LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))`,
});

/** The longest window of a rate rule is 999,999 s, which is less than 12 days. */
const clearSendings = statement({
  name: "invitation-sendings-clear",
  text: `DELETE FROM invitation_sendings WHERE id = ANY (ARRAY(
      SELECT id FROM invitation_sendings WHERE sent_at < now() - interval '12 days' ORDER BY sent_at LIMIT $1))`,
});

/**
 * Deletes links that ended or expired more than 30 days ago, and mail counts older than 12 days. Sends no events.
 * @param limit maximum rows of each table
 * @returns the larger of the two numbers of deleted rows
 */
export async function clearInvitations(tx: Tx, limit: number): Promise<number> {
  return Math.max(await tx.count(clearLinks, [limit]), await tx.count(clearSendings, [limit]));
}
