import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import type { Database } from "@carillon/db";
import pg from "pg";

/** Statements that a piece of work sent to the database. */
export interface QueryCount<T> {
  readonly result: T;
  /** Statements through the pool, including Prisma's, BEGIN and COMMIT. */
  readonly count: number;
  /** Their texts in order, for failure messages. */
  readonly statements: readonly string[];
}

interface Counter {
  /** Connections handed out by the pool since counting began. */
  readonly connections: WeakSet<object>;
  readonly statements: string[];
}

/** The counter of the current work; inherited by its calls and its requests. */
const counting = new AsyncLocalStorage<Counter>();
/** Active counters, by the id in request headers. */
const counters = new Map<string, Counter>();
const header = "x-carillon-test-counter";
let begun = 0;

/**
 * Counts the statements that `work` sends through the database's pool: its own, and those of its requests to a gateway
 * of this process. Excludes concurrent use of the pool, and effects of a commit for others (wake-ups, delivery jobs).
 * For tests that the number of statements does not grow with the data.
 */
export async function countQueries<T>(
  db: Database,
  work: () => Promise<T>,
): Promise<QueryCount<T>> {
  const counter: Counter = { connections: new WeakSet(), statements: [] };
  const acquired = (client: object) => counter.connections.add(client);
  const number = String(++begun);
  counters.set(number, counter);
  db.pool.on("acquire", acquired);
  try {
    const result = await counting.run(counter, work);
    const statements = [...counter.statements];
    return { result, count: statements.length, statements };
  } finally {
    db.pool.off("acquire", acquired);
    counters.delete(number);
  }
}

/** Returns headers that name the current counter; none outside of a count. */
export function countingHeaders(): Record<string, string> {
  const current = counting.getStore();
  for (const [number, counter] of counters) if (counter === current) return { [header]: number };
  return {};
}

/** Runs `work` under the counter that the headers name, if any. */
export function countedFor<T>(headers: IncomingHttpHeaders, work: () => T): T {
  const number = headers[header];
  const counter = typeof number === "string" ? counters.get(number) : undefined;
  return counter ? counting.run(counter, work) : uncounted(work);
}

/** Runs `work` without a counter. */
export function uncounted<T>(work: () => T): T {
  return counting.exit(work);
}

type Query = (this: pg.Client, config: unknown, ...rest: unknown[]) => unknown;
type Connect = (this: pg.Pool, callback?: (...given: unknown[]) => void) => unknown;

const client = pg.Client.prototype as unknown as { query: Query };
const { query } = client;
client.query = function counted(config, ...rest) {
  const counter = counting.getStore();
  if (counter?.connections.has(this) && !isOfVisit(config) && !isOfRefresh(config))
    counter.statements.push(textOf(config));
  return query.call(this, config, ...rest);
};

// The pool calls back in the context that released a connection; restore the context of the waiting caller.
const pool = pg.Pool.prototype as unknown as { connect: Connect };
const { connect } = pool;
pool.connect = function connectFor(callback) {
  return connect.call(this, callback && AsyncResource.bind(callback));
};

/**
 * Returns whether the statement records a visit. A gateway sends these statements once an hour for each person, so the count
 * of a request would depend on earlier requests.
 */
function isOfVisit(config: unknown): boolean {
  const name = (config as { name?: string }).name ?? "";
  return /^visit-(look-up|record)\b/.test(name);
}

/** Returns whether the statement refreshes what a gateway remembers: it is sent every ten seconds, by whichever request comes. */
function isOfRefresh(config: unknown): boolean {
  return (config as { name?: string }).name?.startsWith("organizations-moved") ?? false;
}

/** Removes the remaining request time, which differs between runs. */
function textOf(config: unknown): string {
  const text = typeof config === "string" ? config : ((config as { text?: string }).text ?? "");
  return text.replace(/transaction_timeout = \d+/, "transaction_timeout");
}
