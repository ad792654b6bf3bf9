import { type Site, realmUrl } from "@carillon/model";
import { column, statement, type Sql } from "@carillon/db";
import type { Letter } from "@carillon/mail";

import { lifetime } from "./want-address.ts";

const about = statement({
  name: "address-change-to-tell",
  text: `SELECT r.name, r.subdomain, u.full_name AS "fullName", c.old_address AS "oldAddress",
      c.new_address AS "newAddress", c.token_sealed AS "tokenSealed"
    FROM address_changes c JOIN users u ON u.id = c.user_id JOIN realms r ON r.id = c.realm_id
    WHERE c.realm_id = $1 AND c.id = $2 AND u.is_active`,
  row: {
    name: column.text,
    subdomain: column.text,
    fullName: column.text,
    oldAddress: column.text,
    newAddress: column.text,
    tokenSealed: column.bytes,
  },
});

/** The mail to the new address; undefined where it is wanted no more. */
export async function addressChangeMail(
  sql: Sql,
  site: Site,
  realmId: number,
  { changeId }: { readonly changeId: number },
): Promise<Letter | undefined> {
  const [found] = await sql.rows(about, [realmId, changeId]);
  if (!found) return undefined;
  const { name, oldAddress, newAddress, tokenSealed } = found;
  const url = realmUrl(site, found);
  const link = `${url}/accounts/confirm_new_email/${site.secrets.open(tokenSealed)}`;
  return {
    to: newAddress,
    senderName: name,
    subject: `Confirm your new e-mail address for ${name}`,
    text: `${[
      `Somebody, probably you, wants the account ${oldAddress} at ${name} (${url}) to have this e-mail address, ${newAddress}.`,
      `To confirm it, open this page within ${lifetime} hours, and press its button:`,
      link,
      "If that was not you, do nothing: the account keeps its address.",
    ].join("\n\n")}\n`,
  };
}
