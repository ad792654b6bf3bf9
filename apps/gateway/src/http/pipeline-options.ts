import type { RequestDeadline } from "@carillon/db";
import type { IdempotencyKey } from "@carillon/domain";
import type { KeyedSemaphore } from "@carillon/kit";
import type { Actor, Authenticate } from "./actor.ts";
import type { FileIntake } from "./file-intake.ts";
import type { KeyedRequests } from "./keyed-requests.ts";
import type { Limiter } from "./limit.ts";
import type { Outage } from "./outage.ts";
import type { UnsentAnswers } from "./unsent-answers.ts";

/** The parts and limits that all requests of an app share. */
export interface PipelineOptions<Services> {
  /** Binds the services to one request. */
  readonly servicesWithin: (deadline: RequestDeadline) => Services;
  readonly authenticate: Authenticate<Actor, Services>;
  readonly limiter: Limiter;
  /** Connections of the pool, limited for each account. */
  readonly connectionLimits: KeyedSemaphore<number>;
  /** Memory for large answers. */
  readonly unsent: UnsentAnswers;
  /** Lets polls wait for the database. */
  readonly outage: Outage;
  /** Requests with an `Idempotency-Key`. */
  readonly keyed: KeyedRequests;
  /**
   * Looks up the earlier request with the `Idempotency-Key` of a refused request. Returns the error that ends the refused
   * request instead, such as a `StoredAnswer`; undefined if no earlier request was carried out.
   */
  readonly findEarlierOutcome: (
    key: IdempotencyKey,
    services: Services,
  ) => Promise<Error | undefined>;
  /** Body limits in bytes that depend on the configuration, by operation. */
  readonly bodyLimits?: ReadonlyMap<string, number> | undefined;
  /** Response headers of all requests to a path, and those of `OPTIONS`. */
  readonly headersOfPaths?: ReadonlyMap<string, PathHeaders> | undefined;
  /** Milliseconds in which at least one byte of a large body must arrive; three times as many for a file. */
  readonly bodyIdleMs: number;
  /** Maximum duration of a request, in milliseconds. */
  readonly deadlineMs: number;
  /** Stores the files of requests. */
  readonly files: FileIntake;
}

/** Response headers of one path. */
export interface PathHeaders {
  readonly all: Readonly<Record<string, string>>;
  /** Additional headers of `OPTIONS`. */
  readonly options: Readonly<Record<string, string>>;
}
