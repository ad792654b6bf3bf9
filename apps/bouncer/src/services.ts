import type { IncomingMessage } from "node:http";
import type { Store } from "@carillon/db";
import type { Clock, Logger, MeasuredRequest, Sealer } from "@carillon/kit";
import type { TokenKind } from "@carillon/push";
import type { Outcome, Providers } from "./providers/provider.ts";

/** What the bouncer's request handlers use. */
export interface Services {
  readonly store: Store;
  /** Encrypts tokens and keys at rest. */
  readonly sealer: Sealer;
  readonly providers: Providers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the client's address; default: the connection's remote address. */
  readonly clientAddress?: (request: IncomingMessage) => string;
  /** Counts handovers and requests. */
  readonly measure?: Measure;
}

/** Functions that update metrics. */
export interface Measure {
  handover(kind: TokenKind, outcome: Outcome["kind"]): void;
  request(request: MeasuredRequest): void;
}
