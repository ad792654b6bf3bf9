import type { Account, Destination } from "@carillon/model";
import { errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

/** `to` as `POST /messages` takes it: an ID, a name, or a list of them. */
export type SendTo = number | string | ReadonlyArray<number | string>;

/**
 * Where a message goes that is sent now (scheduled-messages.md §6): channels by ID or name, people by IDs or by the
 * e-mail addresses that others see.
 * @throws ApiError `BAD_REQUEST`; whether there is such a channel is for the check to say
 */
export async function sendDestination(
  sql: Sql,
  sender: Account,
  toChannel: boolean,
  to: SendTo | undefined,
): Promise<Destination> {
  if (toChannel) return channelDestination(sql, sender, to);
  const listed = typeof to === "string" ? splitAddresses(to) : to;
  if (listed === undefined) throw errors.badRequest("to must name at least one user");
  if (typeof listed === "number")
    throw errors.badRequest("to must be a list of user IDs or of e-mail addresses");
  if (listed.every((item) => typeof item === "number")) return { kind: "direct", userIds: listed };
  if (listed.some((item) => typeof item === "number"))
    throw errors.badRequest("to must not mix user IDs and e-mail addresses");
  return { kind: "direct", userIds: await idsOf(sql, sender.realmId, listed as string[]) };
}

const channelNamed = statement({
  name: "channel-id-by-name",
  text: "SELECT id FROM channels WHERE realm_id = $1 AND lower(name) = lower($2)",
  row: { id: column.int },
});

async function channelDestination(
  sql: Sql,
  sender: Account,
  to: SendTo | undefined,
): Promise<Destination> {
  const list = to === undefined ? [] : typeof to === "object" ? to : [to];
  if (list.length > 1) throw errors.badRequest("to must name one channel");
  const channel = list[0] ?? sender.defaultSendingChannelId ?? undefined;
  if (channel === undefined) throw errors.badRequest("to must name a channel");
  if (typeof channel === "number") return { kind: "channel", channelId: channel };
  const name = channel.trim();
  const [row] = await sql.rows(channelNamed, [sender.realmId, name]);
  return { kind: "channel", channelId: row?.id ?? 0, name };
}

function splitAddresses(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

const byAddresses = statement({
  name: "account-ids-by-addresses",
  text: `SELECT u.id, w.address FROM unnest($2::text[]) AS w (address)
    JOIN users u ON u.realm_id = $1 AND lower(u.email) = lower(w.address)`,
  row: { id: column.int, address: column.text },
});

async function idsOf(sql: Sql, realmId: number, addresses: readonly string[]): Promise<number[]> {
  const wanted = addresses.map((address) => address.trim());
  const rows = await sql.rows(byAddresses, [realmId, wanted]);
  const ids = new Map(rows.map(({ id, address }) => [address, id]));
  return wanted.map((address) => {
    const id = ids.get(address);
    if (id === undefined)
      throw errors.badRequest(`There is no user with the e-mail address ${address}`);
    return id;
  });
}
