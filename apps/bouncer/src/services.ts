import type { IncomingMessage } from "node:http";
import type { Store } from "@carillon/db";
import type { Clock, Logger, MeasuredRequest, Sealer } from "@carillon/kit";
import type { TokenKind } from "@carillon/push";
import type { Outcome, Providers } from "./providers/provider.ts";

/** What the bouncer's calls use. */
export interface Services {
  readonly store: Store;
  /** Of tokens and keys at rest. */
  readonly sealer: Sealer;
  readonly providers: Providers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where a request comes from; the other end of the connection unless given. */
  readonly clientAddress?: (request: IncomingMessage) => string;
  /** Hears of every notification that was given to a provider, and of every request. */
  readonly measure?: Measure;
}

/** What metrics are made of. */
export interface Measure {
  handover(kind: TokenKind, outcome: Outcome["kind"]): void;
  request(request: MeasuredRequest): void;
}
