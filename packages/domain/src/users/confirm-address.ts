import {
  type Site,
  holdGroupGraph,
  loadAccounts,
  loadRealm,
  lockAccount,
  recordAudit,
} from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, sqlState, statement, type Sql, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";

import { changeAddress, checkAddressFor } from "./change-address.ts";
import { addressTaken } from "./new-address.ts";
import { checkMayWant, lifetime } from "./want-address.ts";

const byToken = statement({
  name: "address-change-by-token",
  text: `SELECT c.id, c.realm_id AS "realmId", c.user_id AS "userId", c.old_address AS "oldAddress",
      c.new_address AS "newAddress", r.name AS organization
    FROM address_changes c JOIN realms r ON r.id = c.realm_id
    WHERE c.token_digest = $1 AND NOT r.deactivated AND c.created_at > now() - make_interval(hours => ${lifetime})`,
  row: {
    id: column.bigint,
    realmId: column.int,
    userId: column.int,
    oldAddress: column.text,
    newAddress: column.text,
    organization: column.text,
  },
});

/**
 * What a link confirms, for the page that asks whether it shall; nothing changes.
 * @throws ApiError `BAD_REQUEST`: the same for every link that does not work
 */
export async function findWantedAddress(
  sql: Sql,
  site: Site,
  token: string,
): Promise<{
  readonly organization: string;
  readonly oldAddress: string;
  readonly newAddress: string;
}> {
  const [wanted] = await sql.rows(byToken, [site.secrets.digest(token)]);
  const account =
    wanted && (await loadAccounts(sql, wanted.realmId, [wanted.userId])).get(wanted.userId);
  if (!account?.isActive || account.deliveryEmail !== wanted?.oldAddress) throw noSuchLink();
  return wanted;
}

const used = statement({
  name: "address-change-use",
  text: "DELETE FROM address_changes WHERE id = $1 RETURNING id",
  row: { id: column.bigint },
});

/**
 * Gives an account the address that it wanted and has confirmed, at once, as `PATCH /users/{id}` does. The link works
 * once.
 * @returns the address
 * @throws ApiError `BAD_REQUEST`: the same for a link that never was, is too old, was used, or is wanted no more
 */
export async function confirmAddress(tx: Tx, site: Site, token: string): Promise<string> {
  const wanted = await tx.first(byToken, [site.secrets.digest(token)]);
  if (!wanted) throw noSuchLink();
  const { realmId, userId, newAddress } = wanted;
  const [, account, realm] = await Promise.all([
    holdGroupGraph(tx, realmId),
    lockAccount(tx, realmId, userId),
    loadRealm(tx, realmId),
  ]);
  if (!account?.isActive || account.deliveryEmail !== wanted.oldAddress) throw noSuchLink();
  if (!(await tx.first(used, [wanted.id]))) throw noSuchLink();
  await checkMayWant(tx, account);
  await checkAddressFor(tx, site, realm, account, newAddress, "email");
  const events = await changeAddress(tx, account, newAddress).catch((error: unknown) => {
    throw sqlState(error) === "23505" ? addressTaken() : error;
  });
  recordAudit(tx, realmId, userId, [
    {
      type: "user_email_changed",
      userId,
      data: { old: account.deliveryEmail, new: newAddress },
    },
  ]);
  emit(tx, realmId, events);
  return newAddress;
}

function noSuchLink() {
  return errors.badRequest(
    "This link does not work, or not any more: ask for the new address again",
  );
}
