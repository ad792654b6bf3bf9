import { createHash } from "node:crypto";
import { statement, type Sql } from "@carillon/db";

/** A chat server registered with the bouncer. */
export interface Server {
  readonly id: string;
  /** Calls in 60 s; null for no limit. */
  readonly rateLimit: number | null;
  /** UUIDs of the organizations it may speak for; null for any. */
  readonly realms: readonly string[] | null;
}

/** A server to be added. */
export interface NewServer extends Server {
  readonly name: string;
  readonly key: string;
}

const columns = `id, rate_limit AS "rateLimit", realms::text[] AS realms`;

const byId = statement({
  name: "bouncer-server",
  text: `SELECT ${columns}, key_hash AS "keyHash" FROM server WHERE id = $1`,
});

const all = statement({
  name: "bouncer-servers",
  text: `SELECT ${columns}, name, created_at AS "createdAt",
      (SELECT count(*)::int FROM registration r WHERE r.server_id = server.id) AS registrations
    FROM server ORDER BY created_at, id`,
});

const put = statement({
  name: "bouncer-server-put",
  text: `INSERT INTO server (id, name, key_hash, rate_limit, realms) VALUES ($1, $2, $3, $4, $5::uuid[])
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, key_hash = excluded.key_hash,
      rate_limit = excluded.rate_limit, realms = excluded.realms`,
});

const remove = statement({
  name: "bouncer-server-remove",
  text: "DELETE FROM server WHERE id = $1 RETURNING id",
});

/** Finds a server by id, with the hash of its key. */
export async function findServer(
  sql: Sql,
  id: string,
): Promise<(Server & { keyHash: Uint8Array }) | undefined> {
  return (await sql.rows(byId, [id]))[0];
}

/** Lists all servers, oldest first, with their numbers of devices. */
export function listServers(sql: Sql) {
  return sql.rows(all);
}

/** Adds or replaces a server. */
export async function putServer(sql: Sql, server: NewServer): Promise<void> {
  const { id, name, key, rateLimit, realms } = server;
  await sql.rows(put, [id, name, hashKey(key), rateLimit, realms]);
}

/** Removes a server and its registrations. @returns false if it does not exist */
export async function removeServer(sql: Sql, id: string): Promise<boolean> {
  return (await sql.rows(remove, [id])).length > 0;
}

/** Hashes a server's key. It has 190 random bits, so a fast hash is safe. */
export function hashKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
