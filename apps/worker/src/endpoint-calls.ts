import { setTimeout as pause } from "node:timers/promises";

import {
  isTrial,
  type MadeAttempt,
  recordEndpointAnswered,
  recordEndpointUnanswered,
} from "@carillon/domain";
import { systemClock } from "@carillon/kit";
import type { OutgoingOutcome } from "@carillon/outgoing";

import type { JobContext } from "./processor.ts";

/** Milliseconds that preparing a call and storing its answer may take in addition to the call itself. */
export const settlingMs = 15_000;

/** Milliseconds after which a job ends although its call is still in progress. Less than the deadline of the job. */
const maxJobMs = 20_000;

/**
 * Waits for work that calls an endpoint, but not beyond the time of a job. Longer work continues after its job; the claim in
 * its row keeps other workers from the same call meanwhile.
 */
export async function leaveWhenLong(work: Promise<void>): Promise<void> {
  work.catch(() => {});
  const left = new AbortController();
  await Promise.race([work, pause(maxJobMs, undefined, { signal: left.signal })]).finally(() =>
    left.abort(),
  );
}

/** A call that was made. */
export interface MadeCall {
  readonly outcome: OutgoingOutcome;
  readonly attempt: MadeAttempt;
}

/** The part of a job's context that calls need. */
type Calling = Pick<JobContext<unknown>, "signal" | "log"> & {
  readonly services: Pick<JobContext<unknown>["services"], "outgoing" | "db">;
};

/** A request to an endpoint. */
interface EndpointPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly maxBytes: number;
}

/** Makes the call; returns undefined if the signal of the job aborts it, because the process ends. */
export async function postToEndpoint(
  { signal, services: { outgoing } }: Calling,
  request: EndpointPost,
): Promise<MadeCall | undefined> {
  const at = systemClock.now();
  const began = performance.now();
  const outcome = await outgoing.client.post({ ...request, signal }).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (!outcome) return undefined;
  const durationMs = performance.now() - began;
  const status = "status" in outcome ? outcome.status : undefined;
  const responseHead =
    outcome.kind === "answered" ? outcome.body.subarray(0, 4_096).toString("utf8") : "";
  return { outcome, attempt: { at, durationMs, status, responseHead } };
}

/**
 * Records for the circuit breaker whether the endpoint answered.
 * @returns whether the call was a trial of an open circuit and failed
 */
export async function noteAnswer(
  { log, services: { db } }: Calling,
  endpoint: { readonly realmId: number; readonly origin: string; readonly failures: number },
  outcome: OutgoingOutcome,
): Promise<boolean> {
  if (outcome.kind === "lost") {
    const openMs = await recordEndpointUnanswered(db, endpoint, endpoint.failures);
    if (openMs > 0)
      log.warn(
        { realmId: endpoint.realmId, origin: endpoint.origin, openMs },
        "an endpoint does not answer; opened its circuit breaker",
      );
    return isTrial(endpoint);
  }
  if (endpoint.failures > 0) await recordEndpointAnswered(db, endpoint);
  return false;
}
