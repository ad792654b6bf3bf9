import { knowableId } from "@carillon/contract";
import type { Sql } from "@carillon/db";

import type { Viewer } from "../viewer.ts";

/** Which values of `email_address_visibility` let a role see the delivery address (users.md §2). */
const revealedTo: Readonly<Record<number, readonly number[]>> = {
  100: [1, 2, 3, 5],
  200: [1, 2, 3, 5],
  300: [1, 2, 5],
  400: [1, 2],
  600: [1],
};

const byIdOrAddress = {
  name: "narrow-users",
  text: `SELECT u.id, u.email, u.delivery_email AS "deliveryEmail",
      u.is_bot OR u.id = $4 OR u.email_address_visibility = ANY($5::int[]) AS revealed
    FROM users u
    WHERE u.realm_id = $1 AND (u.id = ANY($2::int[]) OR lower(u.email) = ANY($3::text[]) OR lower(u.delivery_email) = ANY($3::text[]))`,
};

/**
 * The ids of the accounts that are named by id, or by an e-mail address: the one that everybody sees, or the
 * delivery address where the viewer may see it. Deactivated accounts and bots are found too.
 */
export async function loadUserIds(
  sql: Sql,
  viewer: Viewer,
  named: readonly (string | number)[],
): Promise<Map<string | number, number>> {
  const ids = named.filter((value) => typeof value === "number").map((id) => knowableId(id));
  const addresses = named.filter((value) => typeof value === "string");
  const rows = await sql.rows<{
    id: number;
    email: string;
    deliveryEmail: string;
    revealed: boolean;
  }>(byIdOrAddress, [
    viewer.realmId,
    ids,
    addresses.map((address) => address.toLowerCase()),
    viewer.id,
    revealedTo[viewer.role] ?? [],
  ]);
  const byAddress = new Map<string, number>();
  for (const { id, deliveryEmail, revealed } of rows)
    if (revealed) byAddress.set(deliveryEmail.toLowerCase(), id);
  for (const { id, email } of rows) byAddress.set(email.toLowerCase(), id);

  const found = new Map<string | number, number>();
  for (const { id } of rows) found.set(id, id);
  for (const address of addresses) {
    const id = byAddress.get(address.toLowerCase());
    if (id !== undefined) found.set(address, id);
  }
  return found;
}
