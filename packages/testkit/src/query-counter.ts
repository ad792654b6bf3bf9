import type { Database } from "@carillon/db";
import pg from "pg";

/** What a piece of work asked of the database. */
export interface QueryCount<T> {
  readonly result: T;
  /** Statements through the pool, Prisma's, BEGIN and COMMIT included. */
  readonly count: number;
  /** Their texts, in order, for the failure message. */
  readonly statements: readonly string[];
}

type Query = (this: pg.Client, config: unknown, ...rest: unknown[]) => unknown;

/**
 * Counts the statements that go through the database's pool while `work` runs, in this process: what else uses
 * the pool meanwhile counts too. For tests which show that the number does not grow with the data.
 */
export async function countQueries<T>(
  db: Database,
  work: () => Promise<T>,
): Promise<QueryCount<T>> {
  const statements: string[] = [];
  const connections = new WeakSet<object>();
  const acquired = (client: object) => connections.add(client);
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const query = prototype.query;
  const counting: Query = function counting(config, ...rest) {
    if (connections.has(this)) statements.push(textOf(config));
    return query.call(this, config, ...rest);
  };
  db.pool.on("acquire", acquired);
  prototype.query = counting;
  try {
    const result = await work();
    return { result, count: statements.length, statements };
  } finally {
    prototype.query = query;
    db.pool.off("acquire", acquired);
  }
}

function textOf(config: unknown): string {
  return typeof config === "string" ? config : ((config as { text?: string }).text ?? "");
}
