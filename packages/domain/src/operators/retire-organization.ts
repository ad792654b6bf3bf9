import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { randomKey } from "@carillon/kit";
import { lockOrganization, recordAudit, type Secrets } from "@carillon/model";

const rename = statement({
  name: "organization-retire",
  text: `UPDATE realms r SET subdomain = 'retired-' || r.id
    WHERE r.id = $1 AND r.deactivated AND r.subdomain <> 'retired-' || r.id
      AND EXISTS (SELECT FROM event_head h WHERE h.realm_id = r.id AND h.last_seq IS NOT NULL) RETURNING r.subdomain`,
});

/** Maximum accounts whose keys one statement replaces. */
const batch = 1_000;

const holders = statement({
  name: "organization-retire-accounts",
  text: `SELECT id FROM users WHERE realm_id = $1 AND id > $2 ORDER BY id LIMIT ${batch} FOR NO KEY UPDATE`,
});

const storeKeys = statement({
  name: "organization-retire-keys",
  text: `UPDATE users u SET api_key_sealed = n.sealed, api_key_digest = n.digest
    FROM unnest($1::int[], $2::bytea[], $3::bytea[]) AS n (id, sealed, digest) WHERE u.id = n.id`,
});

/** An import skips calls whose webhook ids exist, because these ids are unique in an installation. */
const freeWebhookIds = statement({
  name: "organization-retire-calls",
  text: "UPDATE outgoing_call SET webhook_id = 'retired-' || id WHERE id = ANY($1::bigint[])",
});

const calls = statement({
  name: "organization-retire-calls-lock",
  text: `SELECT id FROM outgoing_call WHERE realm_id = $1 ORDER BY id FOR NO KEY UPDATE`,
});

const dropInvitations = statement({
  name: "organization-retire-invitations",
  text: "DELETE FROM invitations WHERE realm_id = $1",
});

/**
 * Takes the subdomain, the API keys, the invitations and the ids of webhook calls from an organization that has moved away, so
 * that it can be imported with these when it moves back. It keeps its rows under another subdomain.
 * @returns the new subdomain
 * @throws ApiError `BAD_REQUEST` unless it was deactivated after its final export, or if it has been retired before
 */
export async function retireOrganization(
  tx: Tx,
  secrets: Secrets,
  realmId: number,
): Promise<string> {
  // In the order of locks, so the check comes last. A refusal rolls everything back.
  const recorded = await tx.lock({ name: "outgoingCalls" }, calls, [realmId]);
  await tx.rows(freeWebhookIds, [recorded.map(({ id }) => id)]);
  await tx.rows(dropInvitations, [realmId]);
  await replaceKeys(tx, secrets, realmId);
  await lockOrganization(tx, realmId);
  const retired = await tx.first(rename, [realmId]);
  if (!retired)
    throw errors.badRequest(
      "only an organization that has moved away can be retired, once: one that was redirected, or deactivated after export --final",
    );
  recordAudit(tx, realmId, null, [{ type: "organization_retired" }]);
  return retired.subdomain;
}

async function replaceKeys(tx: Tx, secrets: Secrets, realmId: number): Promise<void> {
  let after = 0;
  for (;;) {
    const accounts = await tx.lock({ name: "accounts" }, holders, [realmId, after]);
    const keys = accounts.map(() => randomKey());
    if (accounts.length > 0)
      await tx.rows(storeKeys, [
        accounts.map(({ id }) => id),
        keys.map((key) => secrets.seal(key)),
        keys.map((key) => secrets.digest(key)),
      ]);
    after = accounts.at(-1)?.id ?? after;
    if (accounts.length < batch) return;
  }
}
