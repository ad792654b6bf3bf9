import { type Database, type Sql, statement, type Tx } from "@carillon/db";
import { randomKey, StartupError } from "@carillon/kit";
import type { Secrets } from "@carillon/model";
import { newSigningSecret } from "@carillon/outgoing";

const batch = 1_000;

const lockAccounts = statement({
  name: "keys-anew-lock",
  text: "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE",
});

const nextAccounts = statement({
  name: "keys-anew-next",
  text: `SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT ${batch}`,
});

/** The sealed columns of the database, with the digest by which the row is found, if there is one. */
const sealed = [
  { name: "users", table: "users", id: "id", seal: "api_key_sealed", digest: "api_key_digest" },
  {
    name: "address_changes",
    table: "address_changes",
    id: "id",
    seal: "token_sealed",
    digest: "token_digest",
  },
  {
    name: "password_resets",
    table: "password_resets",
    id: "id",
    seal: "key_sealed",
    digest: "key_digest",
  },
  { name: "invitations", table: "invitations", id: "id", seal: "key_sealed", digest: "key_digest" },
  {
    name: "webhook_secrets",
    table: "users",
    id: "id",
    seal: "webhook_secret_sealed",
    digest: undefined,
  },
  ...(["token_sealed", "secret_sealed", "old_secret_sealed"] as const).map(
    (seal) =>
      ({
        name: `bot_service-${seal}`,
        table: "bot_service",
        id: "bot_id",
        seal,
        digest: undefined,
      }) as const,
  ),
  ...(["secret_sealed", "old_secret_sealed"] as const).map(
    (seal) =>
      ({
        name: `event_subscription-${seal}`,
        table: "event_subscription",
        id: "id",
        seal,
        digest: undefined,
      }) as const,
  ),
] as const;

const store = statement({
  name: "keys-anew-store",
  text: `UPDATE users u SET api_key_sealed = n.sealed, api_key_digest = n.digest
    FROM unnest($1::int[], $2::bytea[], $3::bytea[]) AS n (id, sealed, digest) WHERE u.id = n.id`,
});

/** Tables of links that can no longer be checked once the key is lost. */
const links = (["address_changes", "password_resets", "invitations"] as const).map((table) => ({
  isThere: statement({
    name: `keys-anew-has-${table}`,
    text: `SELECT to_regclass('${table}') IS NOT NULL AS present`,
  }),
  drop: statement({ name: `keys-anew-drop-${table}`, text: `DELETE FROM ${table}` }),
}));

const hasWebhookSecrets = statement({
  name: "keys-anew-has-webhook-secrets",
  text: `SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('users')
    AND attname = 'webhook_secret_sealed' AND NOT attisdropped) AS present`,
});

const dropWebhookSecrets = statement({
  name: "keys-anew-drop-webhook-secrets",
  text: "UPDATE users SET webhook_secret_sealed = NULL WHERE webhook_secret_sealed IS NOT NULL",
});

const hasServices = statement({
  name: "keys-anew-has-services",
  text: "SELECT to_regclass('bot_service') IS NOT NULL AS present",
});

const nextServices = statement({
  name: "keys-anew-next-services",
  text: `SELECT bot_id AS id FROM bot_service WHERE bot_id > $1 ORDER BY bot_id LIMIT ${batch}`,
});

const storeServices = statement({
  name: "keys-anew-store-services",
  text: `UPDATE bot_service s SET token_sealed = n.token, secret_sealed = n.secret, old_secret_sealed = NULL,
      old_secret_until = NULL
    FROM unnest($1::int[], $2::bytea[], $3::bytea[]) AS n (id, token, secret) WHERE s.bot_id = n.id`,
});

/** Gives every outgoing webhook another token and another signing secret. */
async function issueServiceSecrets(sql: Sql, secrets: Secrets): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await sql.rows(nextServices, [after]);
    if (rows.length === 0) return;
    await sql.rows(storeServices, [
      rows.map(({ id }) => id),
      rows.map(() => secrets.seal(randomKey())),
      rows.map(() => secrets.seal(newSigningSecret())),
    ]);
    after = rows.at(-1)?.id ?? after;
  }
}

const hasSubscriptions = statement({
  name: "keys-anew-has-subscriptions",
  text: "SELECT to_regclass('event_subscription') IS NOT NULL AS present",
});

const nextSubscriptions = statement({
  name: "keys-anew-next-subscriptions",
  text: `SELECT id FROM event_subscription WHERE id > $1 ORDER BY id LIMIT ${batch}`,
});

const storeSubscriptions = statement({
  name: "keys-anew-store-subscriptions",
  text: `UPDATE event_subscription s SET secret_sealed = n.secret, old_secret_sealed = NULL, old_secret_until = NULL
    FROM unnest($1::int[], $2::bytea[]) AS n (id, secret) WHERE s.id = n.id`,
});

/** Gives every event subscription a new signing secret. */
async function issueSubscriptionSecrets(sql: Sql, secrets: Secrets): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await sql.rows(nextSubscriptions, [after]);
    if (rows.length === 0) return;
    await sql.rows(storeSubscriptions, [
      rows.map(({ id }) => id),
      rows.map(() => secrets.seal(newSigningSecret())),
    ]);
    after = rows.at(-1)?.id ?? after;
  }
}

const audit = statement({
  name: "keys-anew-audit",
  text: "INSERT INTO audit_log (realm_id, event_type) SELECT id, 'api_keys_issued_anew' FROM realms",
});

/**
 * Replaces all sealed values of a database whose `SECRET_KEY` is lost: gives every account another API key, and drops
 * requested changes of e-mail addresses, password resets and invitations, whose links can no longer be checked, and the
 * secrets of incoming webhooks, which need the new keys anyway. Outgoing webhooks get new tokens and signing secrets, event
 * subscriptions new signing secrets.
 * @param sql one transaction, while no process uses the database
 * @returns how many accounts have another key
 */
export async function issueKeysAnew(sql: Sql, secrets: Secrets): Promise<number> {
  let count = 0;
  let after = 0;
  await sql.rows(lockAccounts, []);
  for (;;) {
    const rows = await sql.rows(nextAccounts, [after]);
    const keys = rows.map(() => randomKey());
    if (rows.length > 0)
      await sql.rows(store, [
        rows.map(({ id }) => id),
        keys.map((key) => secrets.seal(key)),
        keys.map((key) => secrets.digest(key)),
      ]);
    count += rows.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < batch) break;
  }
  // A backup of an older version may not have the column and the tables.
  const [secretsFound] = await sql.rows(hasWebhookSecrets, []);
  if (secretsFound?.present) await sql.rows(dropWebhookSecrets, []);
  const [servicesFound] = await sql.rows(hasServices, []);
  if (servicesFound?.present) await issueServiceSecrets(sql, secrets);
  const [subscriptionsFound] = await sql.rows(hasSubscriptions, []);
  if (subscriptionsFound?.present) await issueSubscriptionSecrets(sql, secrets);
  for (const { isThere, drop } of links) {
    const [found] = await sql.rows(isThere, []);
    if (found?.present) await sql.rows(drop, []);
  }
  await sql.rows(audit, []);
  return count;
}

const tables = sealed.map(({ name, table, id, seal, digest }) => ({
  next: statement({
    name: `reseal-${name}-next`,
    text: `SELECT ${id}::text AS id, ${seal} AS sealed FROM ${table}
      WHERE ${id} > $1 AND ${seal} IS NOT NULL ORDER BY ${id} LIMIT ${batch}`,
  }),
  store: statement({
    name: `reseal-${name}-store`,
    text: `UPDATE ${table} t SET ${seal} = n.sealed${digest === undefined ? "" : `, ${digest} = n.digest`}
      FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS n (id, sealed, digest) WHERE t.${id} = n.id`,
  }),
}));

const keepOthersOut = statement({
  name: "reseal-lock",
  text: `LOCK TABLE ${[...new Set(sealed.map(({ table }) => table))].join(", ")} IN SHARE ROW EXCLUSIVE MODE`,
});

const running = statement({
  name: "processes-running",
  text: `SELECT role, host, pid FROM process_heartbeats WHERE last_seen > now() - interval '30 seconds'
    AND role IN ('gateway', 'worker') ORDER BY role, host, pid`,
});

/**
 * Seals all sealed values of the database again with another `SECRET_KEY`, in one transaction. API keys stay the same.
 * @returns how many values were sealed again
 * @throws StartupError while gateways or workers run, because they would continue with the old key
 */
export async function reseal(db: Database, from: Secrets, to: Secrets): Promise<number> {
  return db.transaction(async (tx) => {
    const others = await tx.rows(running, []);
    if (others.length > 0) {
      const names = others.map(({ role, host, pid }) => `${role} ${pid} on ${host}`).join(", ");
      throw new StartupError(
        `stop all gateways and workers first; seen within the last 30 s: ${names}`,
      );
    }
    await tx.rows(keepOthersOut, []);
    let count = 0;
    for (const table of tables) count += await resealTable(tx, table, from, to);
    return count;
  });
}

async function resealTable(
  tx: Tx,
  { next, store }: (typeof tables)[number],
  from: Secrets,
  to: Secrets,
): Promise<number> {
  let count = 0;
  let after = "0";
  for (;;) {
    const rows = await tx.rows(next, [after]);
    // The statement leaves out nulls.
    const texts = rows.map((row) => from.open(row.sealed!));
    await tx.rows(store, [
      rows.map(({ id }) => id),
      texts.map((text) => to.seal(text)),
      texts.map((text) => to.digest(text)),
    ]);
    count += rows.length;
    after = rows.at(-1)?.id ?? after;
    if (rows.length < batch) return count;
  }
}
