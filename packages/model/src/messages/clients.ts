import { bounds } from "@carillon/contract";
import {
  lockKey,
  statement,
  type RowOf,
  type Sql,
  type TransactionOptions,
  type Tx,
} from "@carillon/db";

/** The client program that sends a message. */
export type SendingClient = RowOf<typeof find>;

/**
 * Maximum cached names of client programs (http-contract.md §9). Rows are only added, so a process caches the ones it
 * has seen. At the limit the cache is cleared, which costs one lookup for each name.
 */
const bound = 10_000;
const ids = new WeakMap<object, Map<string, number>>();

/** The name stored for an account that has added too many names. */
const unknownClient = "unknown";

/** A database, or a request's handle of it. */
interface Source extends Sql {
  readonly pool: object;
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/**
 * Returns the client program with the name under which an account sends, at most 30 characters. An account may add a
 * limited number of names over all gateways; beyond that it sends as `unknown` (http-contract.md §8.1).
 */
export async function clientOfAccount(
  db: Source,
  accountId: number,
  name: string,
): Promise<SendingClient> {
  const known = cacheOf(db.pool);
  const cached = known.get(name);
  if (cached !== undefined) return { id: cached, name };
  const found = (await findClient(db, name)) ?? (await addClient(db, accountId, name));
  if (!found) return { id: await clientIdOf(db, unknownClient), name: unknownClient };
  // Cache the stored name, not the received one: as a substring of the request's text, it would keep up to a megabyte
  // alive.
  known.set(found.name, found.id);
  return found;
}

/**
 * Returns the id of a name under which the server itself sends, and adds the name if it is new. Such names do not count
 * towards the limit of an account.
 * @param sql if it has a pool, the name is cached for the pool
 */
export async function clientIdOf(
  sql: Sql & { readonly pool?: object },
  name: string,
): Promise<number> {
  const known = cacheOf(sql.pool ?? sql);
  const cached = known.get(name);
  if (cached !== undefined) return cached;
  const found = (await findClient(sql, name)) ?? (await insertClient(sql, name, null));
  known.set(found.name, found.id);
  return found.id;
}

function cacheOf(database: object): Map<string, number> {
  let known = ids.get(database);
  if (!known || known.size >= bound) ids.set(database, (known = new Map()));
  return known;
}

const find = statement({
  name: "client-by-name",
  text: "SELECT id, name FROM clients WHERE name = $1",
});

async function findClient(sql: Sql, name: string): Promise<SendingClient | undefined> {
  const [found] = await sql.rows(find, [name]);
  return found;
}

/** Adds a name; undefined if the account has reached its limit. */
async function addClient(
  db: Source,
  accountId: number,
  name: string,
): Promise<SendingClient | undefined> {
  if (!(await canAdd(db, accountId))) return undefined;
  const add = async (tx: Tx) => {
    await lockKey(tx, "clientNames", accountId);
    return (await canAdd(tx, accountId)) ? insertClient(tx, name, accountId) : undefined;
  };
  return db.transaction(add, { incidental: true });
}

const countAdded = statement({
  name: "clients-added",
  text: "SELECT count(*)::int AS added FROM clients WHERE added_by_id = $1",
});

async function canAdd(sql: Sql, accountId: number): Promise<boolean> {
  const [count] = await sql.rows(countAdded, [accountId]);
  return (count?.added ?? 0) < bounds.clientNames;
}

const insert = statement({
  name: "client-insert",
  text: `INSERT INTO clients (name, added_by_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id, name`,
});

async function insertClient(
  sql: Sql,
  name: string,
  addedById: number | null,
): Promise<SendingClient> {
  const [added] = await sql.rows(insert, [name, addedById]);
  // A concurrent transaction has added and committed it: the next statement sees it.
  const found = added ?? (await findClient(sql, name));
  if (!found) throw new Error(`client ${name} exists but cannot be read`);
  return found;
}

const byIds = statement({
  name: "clients-by-id",
  text: "SELECT id, name FROM clients WHERE id = ANY($1::int[])",
});

const names = new WeakMap<object, Map<number, string>>();

/** Loads the names of client programs by id; cached ones cost nothing. `database` identifies the database of `sql`. */
export async function loadClientNames(
  sql: Sql,
  database: object,
  clientIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  let known = names.get(database);
  if (!known || known.size >= bound) names.set(database, (known = new Map()));
  const unknown = new Set(clientIds.filter((id) => !known.has(id)));
  if (unknown.size > 0) {
    const rows = await sql.rows(byIds, [[...unknown]]);
    for (const { id, name } of rows) known.set(id, name);
  }
  return known;
}
