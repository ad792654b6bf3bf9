import { errors } from "@carillon/contract";
import {
  lockClass,
  lockKey,
  packed,
  type Sql,
  sqlState,
  statement,
  type Tx,
  typed,
} from "@carillon/db";
import { loadAfter } from "@carillon/model";

/*
 * The states of a key in the transaction of its request (once-and-again.md §1). The lock of a key is held until the
 * transaction ends. The look-up begins after the lock is taken, so its snapshot has the row of the previous holder.
 *
 *   tryKeys ─┬─ row, younger than 24 hours ──▶ known    the stored answer, or IDEMPOTENCY_KEY_REUSED
 *            ├─ lock taken, no row ──────────▶ unused   the request runs; its answer is inserted with the COMMIT
 *            └─ lock held by another ────────▶ taken    waits for the lock, up to 5 s, and looks the key up again
 */

/** The `Idempotency-Key` of one request. */
export interface IdempotencyKey {
  /** A UUID made of the account, the operation and the key. */
  readonly id: string;
  readonly accountId: number;
  /** The SHA-256 of the request's parameters. */
  readonly fingerprint: Buffer;
  /** Milliseconds that the request may wait for another one with the key. */
  readonly waitMs: number;
  /** Called when the request begins to wait. */
  readonly onWait: () => void;
}

/** The right to run a request and to store its answer. */
export interface UnusedKey {
  readonly kind: "unused";
  readonly key: IdempotencyKey;
  /** Whether the answer replaces a row that is older than 24 hours. */
  readonly replaces: boolean;
}

export type KeyState =
  | UnusedKey
  /** A request with the key has been carried out: `outcome` ends this request. */
  | { readonly kind: "known"; readonly outcome: Error }
  /** Another transaction holds the key. */
  | { readonly kind: "taken" };

/** Ends a request with the stored answer of an earlier request with its key. Rolls back, like any error. */
export class StoredAnswer extends Error {
  /** The fields of the operation's answer. */
  readonly answer: object;

  constructor(answer: object) {
    super("the request was carried out before");
    this.answer = answer;
  }
}

/** An answer to be stored. */
export interface AnswerToStore {
  readonly unused: UnusedKey;
  /** The fields of the operation's answer. */
  readonly answer: object;
}

const tryLocks = statement({
  name: "idempotency-keys-try",
  text: `SELECT pg_try_advisory_xact_lock(${lockClass.idempotencyKey}, lock) AS held
    FROM unnest($1::int[]) WITH ORDINALITY AS l (lock, place) ORDER BY place`,
});

const lookUp = statement({
  name: "idempotency-keys-look-up",
  text: `SELECT id, fingerprint, answer, created_at <= now() - interval '24 hours' AS expired
    FROM idempotency_keys WHERE id = ANY(ARRAY(SELECT unnest($1::uuid[])))`,
  overrides: { answer: typed<object>() },
});

const limitWait = statement({
  name: "idempotency-keys-limit-wait",
  text: "SELECT FROM set_config('lock_timeout', $1, true)",
});

const unlimitWait = statement({
  name: "idempotency-keys-unlimit-wait",
  text: "SET LOCAL lock_timeout TO DEFAULT",
});

const dropExpired = statement({
  name: "idempotency-keys-drop-expired",
  text: `DELETE FROM idempotency_keys WHERE id = ANY(ARRAY(SELECT unnest($1::uuid[])))
    AND created_at <= now() - interval '24 hours'`,
});

const insert = statement({
  name: "idempotency-keys-insert",
  text: `INSERT INTO idempotency_keys (id, account_id, fingerprint, answer)
    SELECT id, account_id, fingerprint, answer
    FROM unnest($1::uuid[], $2::int[], $3::bytea[], $4::json[]) AS k (id, account_id, fingerprint, answer)`,
});

/**
 * Tries the locks of keys, without waiting, and looks them up, in one round trip.
 * @returns the state of each, in their order
 */
export async function tryKeys(tx: Tx, keys: readonly IdempotencyKey[]): Promise<KeyState[]> {
  const [locks, rows] = await Promise.all([
    tx.rows(tryLocks, [packed.ints(keys.map(lockOf))]),
    tx.rows(lookUp, [packedIds(keys)]),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return keys.map((key, i) => {
    const state = stateOf(key, byId.get(key.id));
    return state.kind === "unused" && !locks[i]?.held ? { kind: "taken" } : state;
  });
}

/**
 * Takes the key of a request that runs in a transaction of its own. Waits for another transaction that holds it.
 * @throws StoredAnswer if the request has been carried out before; ApiError `IDEMPOTENCY_KEY_REUSED`,
 *   `IDEMPOTENCY_KEY_IN_USE`
 */
export async function takeKey(tx: Tx, key: IdempotencyKey): Promise<UnusedKey> {
  const [tried] = await tryKeys(tx, [key]);
  const state = !tried || tried.kind === "taken" ? await waitForKey(tx, key) : tried;
  if (state.kind === "known") throw state.outcome;
  return state;
}

async function waitForKey(
  tx: Tx,
  key: IdempotencyKey,
): Promise<Exclude<KeyState, { kind: "taken" }>> {
  key.onWait();
  try {
    const { rows } = await loadAfter(
      [
        tx.rows(limitWait, [`${Math.max(Math.ceil(key.waitMs), 1)}ms`]),
        lockKey(tx, "idempotencyKey", lockOf(key)),
        tx.rows(unlimitWait),
      ],
      { rows: tx.rows(lookUp, [packedIds([key])]) },
    );
    return stateOf(key, rows[0]);
  } catch (error) {
    if (sqlState(error) === lockNotAvailable) throw errors.idempotencyKeyInUse();
    throw error;
  }
}

/**
 * Maximum size of a stored answer in bytes. Without it, an account whose requests name many channels and accounts would store
 * 2 MB with each of them.
 */
const maxAnswerBytes = 100_000;

/**
 * Stores the answers with the COMMIT, which fails if another request has stored an answer for one of the keys.
 * @throws ApiError `BAD_REQUEST` for an answer that is too large to be stored
 */
export function storeAnswers(tx: Tx, answers: readonly AnswerToStore[]): void {
  if (answers.length === 0) return;
  const texts = answers.map(({ answer }) => JSON.stringify(answer));
  if (texts.some((text) => Buffer.byteLength(text) > maxAnswerBytes))
    throw errors.badRequest(
      "The answer to this request is too large to be stored for its Idempotency-Key: name fewer things in one request, or send it without a key",
    );
  const keys = answers.map(({ unused }) => unused.key);
  const expired = answers.flatMap(({ unused }) => (unused.replaces ? [unused.key] : []));
  if (expired.length > 0) tx.sendWithCommit(dropExpired, [packedIds(expired)]);
  tx.sendWithCommit(insert, [
    packedIds(keys),
    packed.ints(keys.map(({ accountId }) => accountId)),
    packed.byteas(keys.map(({ fingerprint }) => fingerprint)),
    packed.jsons(texts),
  ]);
}

/** Whether a transaction failed because another one had stored an answer for its key. */
export function isKeyConflict(error: unknown): boolean {
  return (
    sqlState(error) === uniqueViolation &&
    (error as { constraint?: string }).constraint === "idempotency_keys_pkey"
  );
}

/**
 * Looks up the key of a request that is refused.
 * @returns the error that ends the request if an earlier one with the key was carried out; undefined if there was none
 */
export async function findEarlierOutcome(
  sql: Sql,
  key: IdempotencyKey,
): Promise<Error | undefined> {
  const [row] = await sql.rows(lookUp, [packedIds([key])]);
  const state = stateOf(key, row);
  return state.kind === "known" ? state.outcome : undefined;
}

const lockNotAvailable = "55P03";
const uniqueViolation = "23505";

function packedIds(keys: readonly IdempotencyKey[]): Buffer {
  return packed.uuids(keys.map(({ id }) => Buffer.from(id.replaceAll("-", ""), "hex")));
}

/** Returns the second key of the advisory lock. Different keys with the same lock only wait for each other. */
function lockOf({ id }: IdempotencyKey): number {
  return Number.parseInt(id.slice(0, 8), 16) | 0;
}

function stateOf(
  key: IdempotencyKey,
  row: { fingerprint: Buffer; answer: object; expired: boolean } | undefined,
): Exclude<KeyState, { kind: "taken" }> {
  if (!row || row.expired) return { kind: "unused", key, replaces: row !== undefined };
  const isSame = row.fingerprint.equals(key.fingerprint);
  return {
    kind: "known",
    outcome: isSame ? new StoredAnswer(row.answer) : errors.idempotencyKeyReused(),
  };
}
