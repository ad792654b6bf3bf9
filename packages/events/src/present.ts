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
  /** Whether those who ask for all public channels get the event. */
  isPublic(event: LoggedEvent): boolean;
}
