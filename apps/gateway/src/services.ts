import type { Database } from "@carillon/db";
import type { Account, Site } from "@carillon/domain";
import type { Logger } from "@carillon/kit";
import type { Actor } from "./http/actor.ts";
import { handlerFor } from "./http/handler.ts";

/** What every action of the gateway may use. */
export interface Services {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
}

/** Who sends the request: the account that the API key belongs to. */
export type Caller = Account & Actor;

/** Binds an operation to its action: `export default handle(createThing, async ({ input, actor, services }) => …)`. */
export const handle = handlerFor<Services, Caller>();
