import {
  type IdempotencyKey,
  type KeyState,
  rejected,
  storeAnswers,
  takeKey,
  tryKeys,
  type BatchOutcome,
} from "@carillon/domain";

import { LeavingBatch, type BatchHandler } from "./batch-handler.ts";

/** A request, and its `Idempotency-Key` if it has one. */
export interface KeyedRequest<Request> {
  readonly request: Request;
  readonly key: IdempotencyKey | undefined;
}

/** Serial queues of keys have higher numbers than a handler's serial queues, which are numbered by ids of rows. */
const firstQueueOfKeys = 2 ** 32;

/**
 * Wraps a handler so that the requests of its batches may have keys (once-and-again.md §1). Keys are tried in the round
 * trip of the handler's first statements, so that they cost none of their own: where a key is known or taken, that work
 * is rolled back, and the other requests share the next transaction. Answers are stored with the COMMIT.
 * @param answerOf makes the fields of the operation's answer
 */
export function keyedBatch<Request, Result>(
  handler: BatchHandler<Request, Result>,
  answerOf: (result: Result) => object | void,
): BatchHandler<KeyedRequest<Request>, Result> {
  /** Whether requests left the latest batch because of their keys: the next one looks its keys up before it begins. */
  let expectsLeaving = false;
  return {
    weigh: ({ request }) => handler.weigh(request),
    async write(tx, site, requests, context) {
      const keys = requests.flatMap(({ key }) => key ?? []);
      const write = () => {
        const bare = requests.map(({ request }) => request);
        return handler.write(tx, site, bare, context);
      };
      if (keys.length === 0) return write();
      if (context.canBlock) {
        const unused = await takeKey(tx, keys[0]!);
        const outcomes = await write();
        const [outcome] = outcomes;
        if (outcome?.kind === "committed")
          storeAnswers(tx, [{ unused, answer: answerOf(outcome.result) ?? {} }]);
        return outcomes;
      }
      const trying = tryKeys(tx, keys);
      const writing = expectsLeaving ? undefined : write();
      // If requests leave the batch, the transaction ends and the write fails; that error is ignored.
      writing?.catch(() => {});
      const states = new Map((await trying).map((state, i) => [keys[i]!, state]));
      const stateOf = ({ key }: KeyedRequest<Request>) => key && states.get(key);
      const leaving = requests.map((one) => leavingBy(one.key, stateOf(one)));
      expectsLeaving = leaving.some(Boolean);
      if (expectsLeaving) throw new LeavingBatch(leaving);
      const outcomes = await (writing ?? write());
      const answers = outcomes.flatMap((outcome, i) => {
        const state = stateOf(requests[i]!);
        return outcome.kind === "committed" && state?.kind === "unused"
          ? [{ unused: state, answer: answerOf(outcome.result) ?? {} }]
          : [];
      });
      storeAnswers(tx, answers);
      return outcomes;
    },
  };
}

/** Returns the outcome of a request that leaves the batch because of its key. */
function leavingBy(
  key: IdempotencyKey | undefined,
  state: KeyState | undefined,
): BatchOutcome<never> | undefined {
  if (!key || !state || state.kind === "unused") return undefined;
  if (state.kind === "known") return rejected(state.outcome);
  return { kind: "serialize", key: firstQueueOfKeys + Number.parseInt(key.id.slice(0, 8), 16) };
}
