import { isPassing } from "@carillon/db";

import { deliverBatch, deliverSingly, type BatchTurn, type DeliverOptions } from "./deliver.ts";
import type { Outcome } from "./outcome.ts";

export interface InLine {
  readonly maxBatches: number;
  readonly signal: AbortSignal;
  readonly onBatch?: (outcomes: readonly Outcome[]) => void;
}

/**
 * Delivers an organization's batches in line: while one writes its messages and copies, the next one is already
 * claimed and checked on a connection of its own and begins to write too, so that neither core waits for the other.
 * What batches share (topic policies, channels, the event log) is written in turn, and they commit in order: a batch
 * whose predecessor failed is rolled back with it. A batch that failed unexpectedly goes row by row.
 * @returns how many batches have been delivered, at most `maxBatches`
 * @throws what a lost connection, a deadlock or a lock timeout throws: the rows are still pending then
 */
export async function deliverInLine(
  options: DeliverOptions,
  realmId: number,
  run: InLine,
): Promise<number> {
  const line = new Line();
  let previous: Batch | undefined;
  let done = 0;
  try {
    while (done < run.maxBatches && !run.signal.aborted) {
      const batch = line.start(options, realmId, previous?.outcomes);
      done++;
      const report = previous?.outcomes.then(run.onBatch);
      // Looked at below; until then nobody else may take its failure for one that nobody handles.
      report?.catch(() => {});
      const { more } = await batch.taken;
      // Two at a time: the one before must have ended before the next one begins.
      await report;
      previous = batch;
      if (!more) break;
    }
    const last = await previous?.outcomes;
    if (last) run.onBatch?.(last);
    return done;
  } catch (error) {
    await line.idle();
    const failed = line.failed;
    if (!failed || isPassing(failed.error)) throw failed?.error ?? error;
    options.log.error(
      { err: failed.error, realmId, rows: failed.rows },
      "a batch of due messages failed; its rows go one by one",
    );
    const singly = await deliverSingly(options, realmId, failed.rows);
    run.onBatch?.(singly);
    return done;
  }
}

interface Batch {
  /** Resolves once the rows are claimed, checked and numbered, or the batch is over. */
  readonly taken: Promise<{ more: boolean }>;
  readonly outcomes: Promise<Outcome[]>;
}

/** What the batches of one run share. */
class Line {
  readonly #letThrough = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #batches: Array<Promise<unknown>> = [];
  #after: number | undefined;
  /** The first batch that failed, and how many rows it had. */
  failed: { error: unknown; rows: number } | undefined;

  /** @param before the outcomes of the batch before, whose commit this one's own waits for */
  start(options: DeliverOptions, realmId: number, before: Promise<unknown> | undefined): Batch {
    let rows = 0;
    let more = false;
    let settled = () => {};
    const numbered = new Promise<void>((resolve) => (settled = resolve));
    const turn: BatchTurn = {
      letThrough: this.#letThrough,
      begun: this.#begun,
      after: this.#after,
      taken: (claimed, others) => {
        rows = claimed.length;
        more = others;
        this.#after = claimed.at(-1)?.id ?? this.#after;
      },
      settled,
      turn: async () => void (await before),
    };
    const outcomes = deliverBatch(options, realmId, turn).catch((error: unknown) => {
      this.failed ??= { error, rows };
      throw error;
    });
    const over = outcomes.then(
      () => undefined,
      () => undefined,
    );
    this.#batches.push(over);
    return { taken: Promise.race([numbered, over]).then(() => ({ more })), outcomes };
  }

  /** Resolves when no batch is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#batches);
  }
}
