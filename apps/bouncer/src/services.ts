import type { Store } from "@carillon/db";
import type { Clock, Logger, Sealer } from "@carillon/kit";
import type { Providers } from "./providers/provider.ts";

/** What the bouncer's calls use. */
export interface Services {
  readonly store: Store;
  /** Of tokens and keys at rest. */
  readonly sealer: Sealer;
  readonly providers: Providers;
  readonly clock: Clock;
  readonly log: Logger;
}
