import { loadRealm, type Site } from "@carillon/model";
import { isPassing, type Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { beginClaiming, becomeDeliverer, claimDue, isReminder, type DueRow } from "./claim.ts";
import { broken } from "./failures.ts";
import type { Outcome } from "./outcome.ts";
import { begunBy, independent, makeRows, numberRows, prepareRows } from "./prepare-due.ts";
import { settle, writeRows } from "./write-rows.ts";

/** Rows that one transaction delivers at most: the batch is what makes delivery fast. */
export const deliveryBatch = 500;

export interface DeliverOptions {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  /** Where the queues are, for the history; unknown unless given. */
  readonly backend?: string;
  readonly batch?: number;
  /** Once it has fired, what fails says nothing about the rows. */
  readonly signal?: AbortSignal;
}

/** What a batch came to: the outcomes of its rows, or why it has none. */
export type BatchEnd =
  | { readonly kind: "done"; readonly outcomes: readonly Outcome[] }
  /** Another transaction is delivering here: it will look again. */
  | { readonly kind: "elsewhere" }
  /** The batch before it has failed, and this one has written nothing. */
  | { readonly kind: "given-up" };

/** A batch that is being written, as far as the one after it has to know. */
export interface Written {
  readonly ids: readonly number[];
  /** What its messages begin. */
  readonly begun: ReadonlySet<string>;
  /** Resolves once they have their ids: those of the batch after it are higher. */
  readonly numbered: Promise<unknown>;
  /** Whether its transaction has committed, once that has ended. */
  readonly committed: Promise<boolean>;
}

/** A batch under way. */
export interface Batch {
  /** Its rows, once nothing is left but to write them; undefined where nothing may be prepared beside that. */
  readonly writing: Promise<Written | undefined>;
  /**
   * How it ended.
   * @throws what a lost connection, a deadlock or a lock timeout throws: the rows are still pending then
   */
  readonly end: Promise<BatchEnd>;
}

/**
 * Delivers one batch of an organization's due messages (scheduled-messages.md §5). Everything of it commits together
 * or not at all, so that a crash leaves nothing or everything: each message is sent exactly once. A refusal fails its
 * row alone. An unexpected error rolls the batch back, and its rows go one by one.
 * @param before the batch that is being written: this one is prepared meanwhile, and writes nothing before that has
 *   committed
 */
export function deliverBatch(options: DeliverOptions, realmId: number, before?: Written): Batch {
  let tell: (written?: Written) => void = () => {};
  const writing = new Promise<Written | undefined>((resolve) => (tell = resolve));
  let claimed: readonly DueRow[] = [];
  const transaction = options.db.transaction(
    async (tx): Promise<BatchEnd> => {
      const [first, realm] = await Promise.all([
        before ? beginClaiming(tx) : becomeDeliverer(tx, realmId),
        loadRealm(tx, realmId),
      ]);
      if (first === false) return { kind: "elsewhere" };
      const { batch = deliveryBatch } = options;
      claimed = together(await claimDue(tx, realmId, batch, before?.ids));
      const prepare = () => prepareRows(options, tx, realm, claimed, before?.begun);
      const early = before && independent(realm, claimed) ? await prepare() : undefined;
      await before?.numbered;
      const made = early && (await makeRows(tx, early));
      if (before && !(await before.committed)) return { kind: "given-up" };
      if (before && !(await becomeDeliverer(tx, realmId))) return { kind: "elsewhere" };
      const prepared = made ?? early ?? (await prepare());
      claimed = prepared.rows;
      const numbering = made ? Promise.resolve(made) : numberRows(tx, prepared);
      const begun = claimed.length === batch ? begunBy(prepared) : undefined;
      if (begun) tell({ ids: claimed.map(({ id }) => id), begun, numbered: numbering, committed });
      return { kind: "done", outcomes: await writeRows(options, tx, await numbering) };
    },
    { attempts: 1 },
  );
  const committed = transaction.then(
    ({ kind }) => kind === "done",
    () => false,
  );
  void committed.then(() => tell());
  const end = transaction.catch(async (error: unknown): Promise<BatchEnd> => {
    if (before && !(await before.committed)) return { kind: "given-up" };
    const { log, signal } = options;
    if (signal?.aborted || isPassing(error) || claimed.length === 0) throw error;
    log.error(
      { err: error, realmId, rows: claimed.length },
      "a batch of due messages failed; its rows go one by one",
    );
    return { kind: "done", outcomes: await deliverSingly(options, realmId, claimed.length) };
  });
  return { writing, end };
}

/**
 * The rows at the beginning that can be sent in one go. A message to a topic's participants depends on who has sent
 * there before: it goes alone, after the others.
 */
function together(rows: readonly DueRow[]): readonly DueRow[] {
  const apart = rows.findIndex(asksForParticipants);
  return apart < 0 ? rows : rows.slice(0, Math.max(apart, 1));
}

function asksForParticipants(row: DueRow): boolean {
  return !isReminder(row) && row.content.includes("@**topic**");
}

/** Delivers up to `count` rows, each in a transaction of its own; one that throws is failed there. */
async function deliverSingly(
  options: DeliverOptions,
  realmId: number,
  count: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < count; i++) {
    const delivered = await options.db.transaction(async (tx) => {
      if (!(await becomeDeliverer(tx, realmId))) return [];
      const realm = await loadRealm(tx, realmId);
      const rows = await claimDue(tx, realmId, 1);
      try {
        return await tx.savepoint(async () =>
          writeRows(options, tx, await numberRows(tx, await prepareRows(options, tx, realm, rows))),
        );
      } catch (error) {
        if (options.signal?.aborted || isPassing(error)) throw error;
        options.log.error(
          { err: error, realmId, scheduledMessageId: rows[0]?.id },
          "a due message could not be sent",
        );
        return settle(options, tx, realm, rows.map(broken), []);
      }
    });
    if (delivered.length === 0) break;
    outcomes.push(...delivered);
  }
  return outcomes;
}
