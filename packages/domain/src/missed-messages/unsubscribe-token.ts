import { timingSafeEqual } from "node:crypto";
import { type Sql, statement } from "@carillon/db";
import type { Account, Site } from "@carillon/model";

/** Path of the page, before the token. */
const unsubscribePath = "/accounts/unsubscribe/missed_messages";

/** The largest id of an account. */
const maxId = 2 ** 31 - 1;

type Subscriber = Pick<Account, "id" | "realmId">;

/**
 * Makes the link that ends the mails about missed messages. It is signed instead of stored and does not expire, because
 * people keep mails for years; changing `SECRET_KEY` invalidates it. It gives no other access.
 * @param url URL of the organization
 */
export function unsubscribeUrl(site: Site, url: string, account: Subscriber): string {
  return `${url}${unsubscribePath}/${account.id}x${signature(site, account).toString("hex")}`;
}

/** Returns 160 bits of the keyed digest. */
function signature({ secrets }: Site, { id, realmId }: Subscriber): Buffer {
  return Buffer.from(secrets.digest(`unsubscribe/missed-messages/${realmId}/${id}`)).subarray(
    0,
    20,
  );
}

const holder = statement({
  name: "unsubscribe-holder",
  text: `SELECT u.id, u.realm_id AS "realmId", r.name AS organization, u.delivery_email AS address
    FROM users u JOIN realms r ON r.id = u.realm_id
    WHERE u.id = $1 AND u.is_active AND NOT u.is_bot AND NOT r.deactivated`,
});

/** The account of a link, and what its page shows. */
export interface UnsubscribeHolder {
  readonly id: number;
  readonly realmId: number;
  readonly organization: string;
  readonly address: string;
}

/** Finds the account of a link. @returns undefined if the link is invalid */
export async function findUnsubscribe(
  sql: Sql,
  site: Site,
  token: string,
): Promise<UnsubscribeHolder | undefined> {
  const [, id, hex] = /^([1-9][0-9]{0,9})x([0-9a-f]{40})$/.exec(token) ?? [];
  if (id === undefined || hex === undefined || Number(id) > maxId) return undefined;
  const [account] = await sql.rows(holder, [Number(id)]);
  if (!account || !timingSafeEqual(signature(site, account), Buffer.from(hex, "hex")))
    return undefined;
  return account;
}
