import type { Logger } from "@carillon/kit";

import type { QueueAccounts } from "./queue-lookup.ts";
import type { EventQueue, LoggedEvent, QueueEvent } from "./queue-options.ts";

/** How the log's events become what clients get. The rules for that are the domain's; the hub only asks. */
export interface Presenter<Context = unknown> {
  /** What presenting needs to know of an organization; asked for again when the organization changes. */
  context(realmId: number): Promise<Context>;
  /**
   * The events that a queue gets for one event of the log: none when it does not want it.
   * @param via whether the account is among the receivers, or gets it because the channel is public
   */
  present(
    event: LoggedEvent,
    queue: EventQueue,
    context: Context,
    via: "audience" | "public",
  ): readonly QueueEvent[];
  /** What polls ask of accounts. */
  readonly accounts: QueueAccounts;
}

/** The presenter, but an event that cannot be presented is logged and left out: it must not hold up those behind it. */
export function forgiving<Context>(presenter: Presenter<Context>, log: Logger): Presenter<Context> {
  const attempt = <T>(event: LoggedEvent, work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      const { seq, type, op } = event;
      log.error({ err: error, seq, type, op }, "an event could not be presented; it is left out");
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
