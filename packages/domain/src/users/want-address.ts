import { type Account, type Realm, type Site, isOrganizationAdministrator } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { recordIntents } from "@carillon/outbox";
import { sendMail } from "@carillon/jobs";
import { randomKey } from "@carillon/kit";

import { checkAddressFor } from "./change-address.ts";

/** Hours that a link works. */
export const lifetime = 24;

/** Seconds between two mails that an account asks for: they go to addresses of strangers. */
const pause = 60;

const circumstances = statement({
  name: "address-change-circumstances",
  text: `SELECT r.email_changes_disabled AS disabled,
      extract(epoch FROM c.created_at + make_interval(secs => ${pause}) - now())::float8 AS wait
    FROM realms r LEFT JOIN address_changes c ON c.user_id = $2 WHERE r.id = $1`,
  row: { disabled: column.bool, wait: column.float.orNull() },
});

/** @throws ApiError `BAD_REQUEST` where addresses are for administrators to change */
export async function checkMayWant(tx: Tx, account: Account): Promise<{ wait: number }> {
  const facts = await tx.first(circumstances, [account.realmId, account.id]);
  if (facts?.disabled && !isOrganizationAdministrator(account))
    throw errors.badRequest("The organization leaves e-mail addresses to its administrators");
  return { wait: facts?.wait ?? 0 };
}

/**
 * Notes that an account wants another address, and has the mail sent by which that is confirmed
 * (settings-and-profile-fields.md §1.3); in the place of what it wanted before. Its own address changes nothing.
 * @param account as it is, in the hands of the transaction
 * @throws ApiError `BAD_REQUEST`, `RATE_LIMIT_HIT`
 */
export async function wantAddress(
  tx: Tx,
  site: Site,
  realm: Realm,
  account: Account,
  text: string,
): Promise<void> {
  if (text.trim() === account.deliveryEmail) return;
  const { wait } = await checkMayWant(tx, account);
  const address = await checkAddressFor(tx, site, realm, account, text, "email");
  if (address === undefined) return;
  if (wait > 0) throw errors.rateLimitHit(wait);
  const token = randomKey();
  const prisma = await tx.prisma();
  await prisma.addressChange.deleteMany({ where: { userId: account.id } });
  const { id } = await prisma.addressChange.create({
    data: {
      realmId: realm.id,
      userId: account.id,
      oldAddress: account.deliveryEmail,
      newAddress: address,
      tokenSealed: Buffer.from(site.secrets.seal(token)),
      tokenDigest: Buffer.from(site.secrets.digest(token)),
    },
    select: { id: true },
  });
  const kind = "address-change";
  await recordIntents(tx, realm.id, sendMail, [
    { key: `${kind}-${id}`, payload: { kind, changeId: Number(id) } },
  ]);
}
