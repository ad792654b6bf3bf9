import {
  type ClaimedCall,
  type ClaimedCalls,
  type EndedCall,
  type EndpointRequest,
  giveUpOldCalls,
  maxAnswerBytes,
  prepareCalls,
  type PreparedRequest,
  readAnswer,
  releaseSlots,
  returnCalls,
  settleCalls,
  type UnendedCall,
} from "@carillon/domain";
import type { CallWebhook } from "@carillon/jobs";
import type { SendingClient } from "@carillon/model";

import { noteAnswer, postToEndpoint } from "./endpoint-calls.ts";
import type { JobContext } from "./processor.ts";

/**
 * Milliseconds after the claim until which a call may begin. The lease of the claim is `settlingMs` longer than a call takes,
 * so the rest of them is left for storing the answer.
 */
const maxWaitMs = 2_000;

/** What a group needs of its job. */
interface GroupContext extends Pick<JobContext<CallWebhook>, "services" | "signal" | "log"> {
  /** Account and name of the client of the replies. */
  readonly client: SendingClient;
  /** Adds jobs of waiting calls. */
  publish(calls: readonly CallWebhook[], reason: string): Promise<void>;
  /** Called when answers were stored, while other calls of the group are in progress. */
  onSettled(last: ClaimedCall): Promise<void>;
}

/** A call with its request. */
interface ReadyCall {
  readonly call: ClaimedCall;
  readonly request: EndpointRequest;
}

/**
 * Makes claimed calls of one bot, as many at once as there are slots, and stores their answers: those that arrive while a
 * transaction stores others share the next one. A slow call delays no answer of the others. Returns calls that it could not
 * begin in time, and those after an unanswered one.
 * @throws the first error of a call whose answer could not be stored; the other calls are not affected
 */
export async function makeGroup(context: GroupContext, claimed: ClaimedCalls): Promise<void> {
  await new CallGroup(context, claimed).run();
}

class CallGroup {
  readonly #context: GroupContext;
  readonly #claimed: ClaimedCalls;
  readonly #beginBefore = performance.now() + maxWaitMs;
  /** Calls that wait for a slot. */
  readonly #waiting: ReadyCall[] = [];
  /** Calls whose results are not stored. */
  readonly #ended: EndedCall[] = [];
  readonly #unended: UnendedCall[] = [];
  /** Slots that no call of the group needs any more. */
  readonly #unused: number[] = [];
  readonly #errors: unknown[] = [];
  /** Slots in which calls are made. */
  #inUse = 0;
  #stopped = false;
  #settling: Promise<void> | undefined;

  constructor(context: GroupContext, claimed: ClaimedCalls) {
    this.#context = context;
    this.#claimed = claimed;
  }

  async run(): Promise<void> {
    const { calls, slotIds } = this.#claimed;
    const { db } = this.#context.services;
    try {
      const made = calls.filter(({ isOverflowed }) => !isOverflowed);
      for (const call of calls.filter(({ isOverflowed }) => isOverflowed)) this.#giveUp(call);
      if (made.length > 0) await this.#prepare(made);
      this.#inUse = slotIds.length;
      await Promise.all(slotIds.map((slotId) => this.#useSlot(slotId)));
      while (this.#settling || this.#ended.length > 0) {
        this.#settle();
        await this.#settling;
      }
    } finally {
      for (const { call } of this.#waiting) this.#unended.push({ call, wasMade: false });
      await Promise.all([
        returnCalls(db, this.#unended),
        releaseSlots(db, this.#errors.length > 0 ? slotIds : this.#unused),
      ]);
    }
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  #giveUp(call: ClaimedCall): void {
    const reason = call.reason ?? "too many messages wait for the endpoint";
    this.#ended.push({ call, verdict: { kind: "failed", reason } });
  }

  /** Builds the requests; if that fails, those of each call in a transaction of its own. */
  async #prepare(calls: readonly ClaimedCall[]): Promise<void> {
    const { db, site } = this.#context.services;
    try {
      const prepared = await db.transaction((tx) => prepareCalls(tx, site, calls), {
        mode: "repeatable read read only",
      });
      for (const [i, call] of calls.entries()) this.#add(call, prepared[i] ?? "ended");
    } catch (error) {
      // The call is made again when the lease of its claim has ended.
      if (calls.length === 1) this.#errors.push(error);
      else for (const call of calls) await this.#prepare([call]);
    }
  }

  #add(call: ClaimedCall, prepared: PreparedRequest): void {
    if (prepared === "ended" || "kind" in prepared) this.#ended.push({ call, verdict: prepared });
    else this.#waiting.push({ call, request: prepared });
  }

  /** Makes one call after the other in a slot, as long as calls wait. */
  async #useSlot(slotId: number): Promise<void> {
    while (!this.#stopped && performance.now() < this.#beginBefore) {
      const next = this.#waiting.shift();
      if (!next) break;
      await this.#make(next).catch((error: unknown) => this.#errors.push(error));
      // Otherwise the slot is released together with the last result.
      if (this.#waiting.length > 0) this.#settle();
    }
    this.#inUse--;
    this.#unused.push(slotId);
    this.#settle();
  }

  async #make({ call, request }: ReadyCall): Promise<void> {
    const context = this.#context;
    const { url, headers, body, format } = request;
    const made = await postToEndpoint(context, { url, headers, body, maxBytes: maxAnswerBytes });
    if (!made) {
      // The process ends: another worker calls at once.
      this.#stopped = true;
      this.#unended.push({ call, wasMade: true });
      return;
    }
    const { failures, realmId, origin } = this.#claimed;
    if (made.outcome.kind === "lost") this.#stopped = true;
    const isTrialLost = await noteAnswer(context, { realmId, origin, failures }, made.outcome);
    this.#ended.push({ call, verdict: readAnswer(made.outcome, format), attempt: made.attempt });
    if (isTrialLost) {
      const given = await giveUpOldCalls(context.services.db, call);
      await context.publish(given, `given-up-${call.callId}`);
    }
  }

  /** Begins to store results, unless that is under way: then they are stored next. */
  #settle(): void {
    if (this.#mustSettle) this.#settling ??= this.#settleAll();
  }

  /** At the end of the group, slots are released without this. */
  get #mustSettle(): boolean {
    return this.#ended.length > 0 || (this.#unused.length > 0 && this.#inUse > 0);
  }

  async #settleAll(): Promise<void> {
    try {
      while (this.#mustSettle) {
        const ended = this.#ended.splice(0);
        const slotIds = this.#unused.splice(0);
        const last = ended.at(-1);
        if (last) this.#ended.unshift(...(await this.#store(ended, slotIds)));
        else await releaseSlots(this.#context.services.db, slotIds);
        if (last && this.#inUse > 0) await this.#context.onSettled(last.call);
      }
    } catch (error) {
      this.#errors.push(error);
    } finally {
      // Together with the last look at what is to be stored: a result that arrives later begins anew.
      this.#settling = undefined;
    }
  }

  /**
   * Stores results in one transaction; if that fails, each in its own.
   * @returns results that did not fit into the transaction
   */
  async #store(
    ended: readonly EndedCall[],
    slotIds: readonly number[],
  ): Promise<readonly EndedCall[]> {
    const { client, services } = this.#context;
    const { db, site } = services;
    try {
      const settled = await db.transaction((tx) => settleCalls(tx, site, client, ended, slotIds));
      for (const [i, result] of settled.entries()) {
        if (!result) continue;
        const seconds = (ended[i]?.attempt?.durationMs ?? 0) / 1_000;
        services.onCall?.({ kind: "webhook", outcome: result.outcome, seconds });
      }
      return ended.filter((_, i) => !settled[i]);
    } catch (error) {
      if (ended.length === 1) {
        this.#errors.push(error);
        return [];
      }
      this.#context.log.warn(
        { err: error, calls: ended.length },
        "storing results of calls failed; storing them one by one",
      );
      const left: EndedCall[] = [];
      for (const one of ended) left.push(...(await this.#store([one], slotIds)));
      return left;
    }
  }
}
