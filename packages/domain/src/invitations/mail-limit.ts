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
 * Counts an organization's invitation mails against the rate rule (people.md §8). The count is stored in the caller's
 * transaction, so that all processes share it and a refused request counts nothing.
 * @param rules empty for no limit
 * @throws ApiError `INVITATION_FAILED` if the limit would be exceeded
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
