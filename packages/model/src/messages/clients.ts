import { bounds } from "@carillon/contract";
import {
  column,
  lockKey,
  statement,
  type RowOf,
  type Sql,
  type TransactionOptions,
  type Tx,
} from "@carillon/db";

const row = { id: column.int, name: column.text };

/** The program by which a message is sent. */
export type SendingClient = RowOf<typeof row>;

/**
 * Names of sending programs (http-contract.md §9). Rows are only ever added, so a process keeps those it has seen;
 * past the bound it forgets them all, which costs one look-up each.
 */
const bound = 10_000;
const ids = new WeakMap<object, Map<string, number>>();

/** What the names of an account that has added too many are stored as. */
const unknownClient = "unknown";

/** A database, or the part of it that a request has. */
interface Source extends Sql {
  readonly pool: object;
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
}

/**
 * The program by whose name, at most 30 characters, an account sends. An account adds so many names, in all gateways
 * together; what it sends by others it sends by `unknown` (http-contract.md §8.1).
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
  // Never the name that came: as a part of a request's text, of a megabyte perhaps, it would keep all of that.
  known.set(found.name, found.id);
  return found;
}

/**
 * The id of one of our own names, not counted for anybody; adds it when new.
 * @param sql what has a pool is remembered for that
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
  row,
});

async function findClient(sql: Sql, name: string): Promise<SendingClient | undefined> {
  const [found] = await sql.rows(find, [name]);
  return found;
}

/** undefined where the account has added as many as it may. */
async function addClient(
  db: Source,
  accountId: number,
  name: string,
): Promise<SendingClient | undefined> {
  if (!(await mayAdd(db, accountId))) return undefined;
  const add = async (tx: Tx) => {
    await lockKey(tx, "clientNames", accountId);
    return (await mayAdd(tx, accountId)) ? insertClient(tx, name, accountId) : undefined;
  };
  return db.transaction(add, { incidental: true });
}

const countAdded = statement({
  name: "clients-added",
  text: "SELECT count(*)::int AS added FROM clients WHERE added_by_id = $1",
  row: { added: column.int },
});

async function mayAdd(sql: Sql, accountId: number): Promise<boolean> {
  const [count] = await sql.rows(countAdded, [accountId]);
  return (count?.added ?? 0) < bounds.clientNames;
}

const insert = statement({
  name: "client-insert",
  text: `INSERT INTO clients (name, added_by_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id, name`,
  row,
});

async function insertClient(
  sql: Sql,
  name: string,
  addedById: number | null,
): Promise<SendingClient> {
  const [added] = await sql.rows(insert, [name, addedById]);
  // Somebody else has added it, and has committed: the next statement sees it.
  const found = added ?? (await findClient(sql, name));
  if (!found) throw new Error(`the program ${name} is there and cannot be read`);
  return found;
}

const byIds = statement({
  name: "clients-by-id",
  text: "SELECT id, name FROM clients WHERE id = ANY($1::int[])",
  row,
});

const names = new WeakMap<object, Map<number, string>>();

/** The names of these programs, by id; those seen before cost nothing. `database` names the database of `sql`. */
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
