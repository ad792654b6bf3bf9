import type { Logger } from "@carillon/kit";

import type { AccountSql } from "./queue-lookup.ts";
import type { EventQueue, LoggedEvent, QueueEvent } from "./queue-options.ts";

/** Turns events of the log into what clients receive. The domain implements the rules. */
export interface Presenter<Context = unknown> {
  /** Returns what presenting needs to know about an organization; called again when the organization changes. */
  context(realmId: number): Promise<Context>;
  /**
   * Returns the events that a queue gets for one event of the log; empty when it wants none.
   * @param via `audience` if the account is among the receivers, `public` if it gets a message of a public channel
   */
  present(
    event: LoggedEvent,
    queue: EventQueue,
    context: Context,
    via: "audience" | "public",
  ): readonly QueueEvent[];
  /** The SQL that polls need about accounts. */
  readonly accounts: AccountSql;
}

/** Wraps a presenter: an event that cannot be presented is logged and skipped, so that later events are still sent. */
export function skippingFailures<Context>(
  presenter: Presenter<Context>,
  log: Logger,
): Presenter<Context> {
  const attempt = <T>(event: LoggedEvent, work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      const { seq, type, op } = event;
      log.error({ err: error, seq, type, op }, "presenting an event failed; skipped");
      return otherwise;
    }
  };
  return {
    context: (realmId) => presenter.context(realmId),
    present: (event, queue, context, via) =>
      attempt(event, () => presenter.present(event, queue, context, via), []),
    accounts: presenter.accounts,
  };
}
