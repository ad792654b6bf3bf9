import { statement, type Sql } from "@carillon/db";
import { type Sealer, StartupError } from "@carillon/kit";
import { type BouncerKeys, newBouncerKeys } from "@carillon/push";

const all = statement({
  name: "bouncer-key-pairs",
  text: `SELECT public_key AS "publicKey", sealed_private_key AS sealed FROM key_pair
    ORDER BY created_at DESC, public_key`,
});

const publicKeys = statement({
  name: "bouncer-public-keys",
  text: `SELECT encode(public_key, 'base64') AS "publicKey" FROM key_pair
    ORDER BY created_at DESC, public_key`,
});

const add = statement({
  name: "bouncer-key-pair-add",
  text: "INSERT INTO key_pair (public_key, sealed_private_key) VALUES ($1, $2)",
});

const addFirst = statement({
  name: "bouncer-key-pair-add-first",
  text: `INSERT INTO key_pair (public_key, sealed_private_key)
    SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM key_pair)`,
});

const remove = statement({
  name: "bouncer-key-pair-remove",
  text: "DELETE FROM key_pair WHERE public_key = $1 RETURNING public_key",
});

/**
 * Lists the key pairs, newest first.
 * @throws StartupError when they were sealed with another `SECRET_KEY`
 */
export async function keyPairs(sql: Sql, sealer: Sealer): Promise<BouncerKeys[]> {
  const rows = await sql.rows(all);
  try {
    return rows.map(({ publicKey, sealed }) => ({ publicKey, privateKey: sealer.open(sealed) }));
  } catch {
    throw new StartupError(
      "SECRET_KEY differs from the key with which the bouncer's database was encrypted: set that key",
    );
  }
}

/** Lists the public keys in Base64, newest first. */
export async function listPublicKeys(sql: Sql): Promise<string[]> {
  return (await sql.rows(publicKeys)).map(({ publicKey }) => publicKey);
}

/** Adds a key pair. @returns its public key in Base64 */
export async function addKeyPair(sql: Sql, sealer: Sealer): Promise<string> {
  const { publicKey, privateKey } = await newBouncerKeys();
  await sql.rows(add, [publicKey, sealer.seal(privateKey)]);
  return Buffer.from(publicKey).toString("base64");
}

/** Creates a key pair if there is none. Two processes at once may create two; both are valid. */
export async function ensureKeyPair(sql: Sql, sealer: Sealer): Promise<void> {
  if ((await sql.rows(publicKeys)).length > 0) return;
  const { publicKey, privateKey } = await newBouncerKeys();
  await sql.rows(addFirst, [publicKey, sealer.seal(privateKey)]);
}

/** Removes a key pair; registrations encrypted with it are refused from then on. @returns false if it does not exist */
export async function removeKeyPair(sql: Sql, publicKey: Uint8Array): Promise<boolean> {
  return (await sql.rows(remove, [publicKey])).length > 0;
}
