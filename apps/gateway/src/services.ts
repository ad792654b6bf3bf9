import type { Database, Lifetime } from "@carillon/db";
import type { Guesses, KeyHolder, LoggedIn } from "@carillon/domain";
import { type SendingClient, type Site, clientOfAccount } from "@carillon/model";
import type { EventHub } from "@carillon/events";
import type { Logger } from "@carillon/kit";
import type { BouncerClient } from "@carillon/push";

import type { Grouped } from "./group-commit/group-commit.ts";
import type { LookUp } from "./shared-look-up.ts";

/** What every action of the gateway may use. */
export interface Services {
  readonly db: Database;
  readonly site: Site;
  /** Whose API key has a digest. */
  readonly keys: LookUp<Uint8Array, KeyHolder>;
  /** Where polls wait for events. */
  readonly events: Pick<EventHub<unknown>, "poll">;
  /** Tries of passwords. */
  readonly guesses: Guesses;
  /** Characters that one bot may store (bot-storage-alert-words-navigation.md §1). */
  readonly botStorageLimit: number;
  /** Undefined where no push service is configured. */
  readonly bouncer: BouncerClient | undefined;
  /** Writes requests of an operation together with others of the organization. */
  readonly group: Grouped;
  readonly log: Logger;
}

/** The services with a database whose work ends with the request. */
export function bindServices(services: Services, lifetime: Lifetime): Services {
  const { db, keys, group } = services;
  return {
    ...services,
    db: db.within(lifetime),
    keys: keys.within(lifetime),
    group: group.within(lifetime),
  };
}

/** The row of the program that an account sends by, for messages that remember it. */
export function clientOf(
  services: Services,
  actor: LoggedIn,
  name: string,
): Promise<SendingClient> {
  return clientOfAccount(services.db, actor.id, name);
}
