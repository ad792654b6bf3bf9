import { errors } from "@carillon/contract";
import { lockKey, statement, type Tx } from "@carillon/db";
import type { RateRule } from "@carillon/kit";

const sentWithin = statement({
  name: "invitation-mails-within",
  text: `SELECT coalesce(sum(mails), 0)::float8 AS mails FROM invitation_sendings
    WHERE realm_id = $1 AND sent_at > now() - make_interval(secs => $2)`,
});

const add = statement({
  name: "invitation-mails-add",
  text: "INSERT INTO invitation_sendings (realm_id, mails) VALUES ($1, $2)",
});

/**
 * Counts mails with invitations of an organization (people.md §8). They are counted with the rows that cause them, so that
 * all processes count the same, and a request that is refused counts nothing.
 * @param rules none without limit
 * @throws ApiError `INVITATION_FAILED` if they are too many
 */
export async function countMails(
  tx: Tx,
  realmId: number,
  mails: number,
  rules: readonly RateRule[],
): Promise<void> {
  if (rules.length === 0) return;
  await lockKey(tx, "invitationCounts", realmId);
  for (const { seconds, requests } of rules) {
    const sent = await tx.first(sentWithin, [realmId, seconds]);
    if ((sent?.mails ?? 0) + mails > requests)
      throw errors.invitationFailed(
        "The organization has sent as many invitations as it may for now: try again later",
        [],
        { dailyLimitReached: true },
      );
  }
  await tx.rows(add, [realmId, mails]);
}
