import { type Sql, statement, type Tx } from "@carillon/db";
import { randomKey } from "@carillon/kit";
import type { Realm, Site } from "@carillon/model";

/** Minutes for which a ticket is valid. */
const ticketMinutes = 10;

const insert = statement({
  name: "login-ticket-insert",
  text: "INSERT INTO login_tickets (realm_id, user_id, ticket_digest) VALUES ($1, $2, $3)",
});

/**
 * Makes a ticket with which the person who has just signed in fetches the account's credentials once (people.md §4.2).
 * @returns the ticket, for a form
 */
export async function makeTicket(
  sql: Sql,
  { secrets }: Site,
  realmId: number,
  userId: number,
): Promise<string> {
  const ticket = randomKey();
  await sql.rows(insert, [realmId, userId, secrets.digest(ticket)]);
  return ticket;
}

const take = statement({
  name: "login-ticket-take",
  text: `WITH taken AS (DELETE FROM login_tickets WHERE realm_id = $1 AND ticket_digest = $2
      RETURNING user_id, created_at)
    SELECT u.delivery_email AS email, u.api_key_sealed AS "apiKeySealed"
    FROM taken JOIN users u ON u.id = taken.user_id JOIN realms r ON r.id = u.realm_id
    WHERE u.is_active AND NOT r.deactivated AND taken.created_at > now() - make_interval(mins => ${ticketMinutes})`,
});

/** Redeems a ticket, which works once. @returns the credentials; undefined for an invalid ticket */
export async function takeTicket(
  tx: Tx,
  { secrets }: Site,
  realm: Realm,
  ticket: string,
): Promise<{ readonly email: string; readonly apiKey: string } | undefined> {
  const [found] = await tx.rows(take, [realm.id, secrets.digest(ticket)]);
  return found && { email: found.email, apiKey: secrets.open(found.apiKeySealed) };
}
