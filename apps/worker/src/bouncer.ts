import type { Database } from "@carillon/db";
import { admitCall, recordAnswered, recordUnanswered, type Admission } from "@carillon/domain";
import type { Logger } from "@carillon/kit";
import type { BouncerClient, BouncerOutcome } from "@carillon/push";
import { HandBack, type Queues } from "@carillon/queue";

/** The outcome of a call for a job; `limited` is handled here. */
export type BouncerReply<Answer> = Exclude<BouncerOutcome<Answer>, { readonly kind: "limited" }>;

type Reply<Name extends "register" | "notify"> =
  Awaited<ReturnType<BouncerClient[Name]>> extends BouncerOutcome<infer Answer>
    ? Promise<BouncerReply<Answer>>
    : never;

/**
 * The push bouncer, for jobs of the queue `bouncer`. Call it with the signal of the job, outside of any transaction. A call
 * throws `HandBack` while the circuit breaker is open or after the bouncer's rate limit (429): the job goes back to wait, no
 * attempt is counted, and no worker takes a job of the queue meanwhile. push.md §3 and §9 describe the other outcomes.
 */
export interface Bouncer {
  readonly about: string;
  register(...given: Parameters<BouncerClient["register"]>): Reply<"register">;
  notify(...given: Parameters<BouncerClient["notify"]>): Reply<"notify">;
}

/** Adds the circuit breaker and the rate limit that all workers share. */
export function guardBouncer(
  client: BouncerClient,
  services: {
    readonly db: Database;
    readonly queues: Pick<Queues, "pauseFor">;
    readonly log: Logger;
  },
): Bouncer {
  const { db, queues, log } = services;

  async function guarded<Answer>(
    call: () => Promise<BouncerOutcome<Answer>>,
  ): Promise<BouncerReply<Answer>> {
    const admission = await admitCall(db);
    if (!admission.admitted) {
      await queues.pauseFor("bouncer", admission.waitMs);
      throw new HandBack("the push bouncer does not answer; the circuit breaker is open");
    }
    const outcome = await call();
    await note(admission, outcome);
    if (outcome.kind === "limited") {
      await queues.pauseFor("bouncer", outcome.retryAfterMs);
      log.warn({ forMs: outcome.retryAfterMs }, "the push bouncer's rate limit is reached");
      throw new HandBack("the push bouncer's rate limit is reached");
    }
    if (outcome.kind === "retry" && outcome.retryAfterMs !== undefined)
      await queues.pauseFor("bouncer", outcome.retryAfterMs);
    return outcome;
  }

  async function note(
    { isTrial, failures }: Extract<Admission, { readonly admitted: true }>,
    outcome: BouncerOutcome<unknown>,
  ): Promise<void> {
    if (outcome.kind === "retry" && outcome.at === "transport") {
      const forMs = await recordUnanswered(db, { isTrial });
      if (forMs === 0) return;
      await queues.pauseFor("bouncer", forMs);
      log.warn(
        { forMs, reason: outcome.reason },
        "the push bouncer does not answer; opened the circuit breaker",
      );
    } else if (failures > 0) {
      await recordAnswered(db);
      if (isTrial) log.info("the push bouncer answers again");
    }
  }

  return {
    about: client.about,
    register: (...given) => guarded(() => client.register(...given)),
    notify: (...given) => guarded(() => client.notify(...given)),
  };
}
