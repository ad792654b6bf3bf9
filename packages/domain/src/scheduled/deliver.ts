import { loadRealm, type Site } from "@carillon/model";
import { isPassing, type Database, type Tx } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import type { TextReader } from "../messages/send/text-reader.ts";
import {
  beginClaiming,
  becomeDeliverer,
  claimDue,
  claimThese,
  isReminder,
  takeBackTries,
  type DueRow,
} from "./claim.ts";
import { broken } from "./failures.ts";
import type { Outcome } from "./outcome.ts";
import { begunBy, independent, makeRows, numberRows, prepareRows } from "./prepare-due.ts";
import { settle, writeRows } from "./write-rows.ts";

/*
 * A batch, and the batch that is prepared while it is written:
 *
 *                  lock      claim    check    number     write       COMMIT
 *   first batch    ──●─────────●────────●────────●──────────●────────────●  done
 *                                                │ writing               │ committed
 *   next batch                 claim    check    ▼ number, make          ▼ lock    write    COMMIT
 *                              ──●────────●──────●───────────────────────●─────────●─────────●  done
 *
 * It ends as `done`; as `unread`, where its texts are to be read before the rows are claimed; as `elsewhere`, where
 * another transaction has the lock; as `given-up`, where the batch before it did not commit; or it throws. Rows are
 * written in `done` alone.
 */

/** Rows that one transaction delivers at most: the batch is what makes delivery fast. */
export const deliveryBatch = 500;

/**
 * Bytes of text in one batch, unless its first row has more. 100,000 bytes of the dearest Markdown take 100 ms to read,
 * and so many are 500 lines of a chat.
 */
export const deliveryBytes = 100_000;

/** Texts of so many bytes may be dear to read. */
const longText = 1_000;

/** Bytes of long texts that a transaction reads itself: 20 ms. */
const unreadBytes = 20_000;

export interface DeliverOptions {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  /** Where the queues are, for the history; unknown unless given. */
  readonly backend?: string;
  /** Rows of a batch at most; {@link deliveryBatch} unless given. */
  readonly batch?: number;
  /** Bytes of text of a batch at most; {@link deliveryBytes} unless given. */
  readonly bytes?: number;
  /** Has read the texts ahead. */
  readonly reader?: TextReader;
  /** Once it has fired, what fails says nothing about the rows. */
  readonly signal?: AbortSignal;
}

/** What a batch came to: the outcomes of its rows, or why it has none. */
export type BatchEnd =
  | { readonly kind: "done"; readonly outcomes: readonly Outcome[] }
  /** Its texts are long, and have to be read ahead. */
  | { readonly kind: "unread" }
  /** Another transaction is delivering here: it will look again. */
  | { readonly kind: "elsewhere" }
  /** The batch before it has failed, and this one has written nothing. */
  | { readonly kind: "given-up" };

/** A batch that is being written, as far as the one after it has to know. */
export interface Written {
  readonly ids: readonly number[];
  /** Of its texts. */
  readonly bytes: number;
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

/** What a batch is made of. */
export interface BatchPlan {
  /** The batch that is being written: this one is prepared meanwhile, and writes nothing before that has committed. */
  readonly before?: Written | undefined;
  /** The rows, whose texts have been read; those that come next in order unless given. */
  readonly ids?: readonly number[];
  /**
   * The rows in which this try has been counted, `ids` among them. It is taken back in those that do not go with this
   * batch, and none is prepared beside it.
   */
  readonly counted?: readonly number[];
}

/**
 * Delivers one batch of an organization's due messages (scheduled-messages.md §5). Everything of it commits together
 * or not at all, so that a crash leaves nothing or everything: each message is sent exactly once. A refusal fails its
 * row alone. An unexpected error rolls the batch back, and its rows go one by one.
 */
export function deliverBatch(
  options: DeliverOptions,
  realmId: number,
  { before, ids, counted }: BatchPlan = {},
): Batch {
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
      const { batch = deliveryBatch, bytes = deliveryBytes } = options;
      const limits = { rows: batch, bytes, taken: before?.ids ?? [] };
      const known = counted ?? ids;
      const found = known
        ? await claimThese(tx, realmId, known)
        : await claimDue(tx, realmId, limits);
      if (!known && hasLongTexts(found)) return { kind: "unread" };
      claimed = together(ids ? found.filter(({ id }) => ids.includes(id)) : found);
      const prepare = () => prepareRows(options, tx, realm, claimed, before?.begun);
      const early = before && independent(realm, claimed) ? await prepare() : undefined;
      await before?.numbered;
      const made = early && (await makeRows(tx, early));
      if (before && !(await before.committed)) return { kind: "given-up" };
      if (before && !(await becomeDeliverer(tx, realmId))) return { kind: "elsewhere" };
      const prepared = made ?? early ?? (await prepare());
      claimed = prepared.rows;
      if (counted) takeBackTries(tx, found.slice(claimed.length));
      const numbering = made ? Promise.resolve(made) : numberRows(tx, prepared);
      const isFull = ids !== undefined || claimed.length === batch || bytesOf(claimed) >= bytes / 2;
      const begun = isFull && !counted ? begunBy(prepared) : undefined;
      if (begun) {
        const own = { ids: claimed.map(({ id }) => id), bytes: bytesOf(claimed) };
        tell({ ...own, begun, numbered: numbering, committed });
      }
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
    return { kind: "done", outcomes: await deliverSingly(options, realmId, claimed) };
  });
  return { writing, end };
}

function hasLongTexts(rows: readonly DueRow[]): boolean {
  return bytesOf(rows.filter(({ bytes }) => bytes > longText)) > unreadBytes;
}

function bytesOf(rows: readonly DueRow[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
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

/** Delivers the rows, each in a transaction of its own; one that throws is failed there. */
async function deliverSingly(
  options: DeliverOptions,
  realmId: number,
  rows: readonly DueRow[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { id } of rows) {
    const delivered = await options.db.transaction(async (tx) =>
      (await becomeDeliverer(tx, realmId)) ? deliverOne(options, tx, realmId, id) : undefined,
    );
    if (!delivered) break;
    outcomes.push(...delivered);
  }
  return outcomes;
}

/** Sends the row, or fails it where that throws; nothing where it is no longer due. */
async function deliverOne(
  options: DeliverOptions,
  tx: Tx,
  realmId: number,
  id: number,
): Promise<readonly Outcome[]> {
  const realm = await loadRealm(tx, realmId);
  const rows = await claimThese(tx, realmId, [id]);
  try {
    return await tx.savepoint(async () =>
      writeRows(options, tx, await numberRows(tx, await prepareRows(options, tx, realm, rows))),
    );
  } catch (error) {
    if (options.signal?.aborted || isPassing(error)) throw error;
    options.log.error(
      { err: error, realmId, scheduledMessageId: id },
      "a due message could not be sent",
    );
    return settle(options, tx, realm, rows.map(broken), []);
  }
}
