import type { Zones } from "@carillon/calendar";
import type { Tx } from "@carillon/db";
import type { Account, Realm, SendingClient, Site } from "@carillon/model";
import type { Chrono } from "chrono-node";

/** What a command of a person is done with. */
export interface BotContext {
  readonly tx: Tx;
  readonly site: Site;
  readonly realm: Realm;
  /** The person whose command it is. */
  readonly actor: Account;
  readonly client: SendingClient;
  readonly zones: Zones;
  readonly english: Chrono;
  readonly twentyFourHours: boolean;
  /** Canonical name of the account's time zone, `UTC` without one. */
  readonly timezone: string;
  /** Whether the account has a time zone. */
  readonly hasTimezone: boolean;
}
