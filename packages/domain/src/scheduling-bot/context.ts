import type { Zones } from "@carillon/calendar";
import type { Tx } from "@carillon/db";
import type { Account, Realm, SendingClient, Site } from "@carillon/model";
import type { Chrono } from "chrono-node";

/** What the bot needs to run a person's command. */
export interface BotContext {
  readonly tx: Tx;
  readonly site: Site;
  readonly realm: Realm;
  /** The person who wrote the command. */
  readonly actor: Account;
  readonly client: SendingClient;
  readonly zones: Zones;
  readonly english: Chrono;
  /** Whether the account uses a 24-hour clock, on which `5` is 05:00. */
  readonly twentyFourHours: boolean;
  /** Canonical name of the account's time zone, `UTC` without one. */
  readonly timezone: string;
  /** Whether the account has a time zone. */
  readonly hasTimezone: boolean;
}
