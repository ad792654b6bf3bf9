import { statement, type Tx } from "@carillon/db";

const disable = statement({
  name: "event-subscriptions-disable",
  text: `UPDATE event_subscription SET state = 'disabled', state_reason = 'the bot is deactivated', failing_since = NULL,
      next_at = NULL
    WHERE bot_id = ANY($1::int[]) AND state <> 'disabled'`,
});

/** Disables the event subscriptions of bots that are being deactivated; the statement is sent with the COMMIT. */
export function disableSubscriptionsOfBots(tx: Tx, botIds: readonly number[]): void {
  tx.sendWithCommit(disable, [botIds], { name: "eventSubscriptions", fresh: true });
}
