import type { Account, Destination } from "@carillon/model";
import { ApiError, errors } from "@carillon/contract";
import { column, statement, type Sql } from "@carillon/db";

import { attempt } from "./attempt.ts";

/** `to` as `POST /messages` takes it: an ID, a name, or a list of them. */
export type SendTo = number | string | ReadonlyArray<number | string>;

/** Where somebody wants to send to, as the request says it. */
export interface Addressed {
  readonly sender: Account;
  readonly toChannel: boolean;
  readonly to: SendTo | undefined;
}

/** Where it goes, or what has to be looked up for that. */
type Found =
  | Destination
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "addresses"; readonly addresses: readonly string[] };

/**
 * Where messages go that are sent now (scheduled-messages.md §6): channels by ID or name, people by IDs or by the
 * e-mail addresses that others see. All of one organization; a statement for all names, and one for all addresses.
 * @returns for each the destination, or the refusal; whether there is such a channel is for the check to say
 */
export async function sendDestinations(
  sql: Sql,
  realmId: number,
  addressed: readonly Addressed[],
): Promise<Array<Destination | ApiError>> {
  const found = addressed.map((each) =>
    attempt(() => (each.toChannel ? channelDestination(each) : directDestination(each))),
  );
  const [channels, accounts] = await Promise.all([
    channelsNamed(
      sql,
      realmId,
      found.flatMap((each) => (isKind(each, "named") ? [each.name] : [])),
    ),
    accountsAt(
      sql,
      realmId,
      found.flatMap((each) => (isKind(each, "addresses") ? each.addresses : [])),
    ),
  ]);
  return found.map((each): Destination | ApiError => {
    if (isKind(each, "named"))
      return { kind: "channel", channelId: channels.get(each.name) ?? 0, name: each.name };
    if (!isKind(each, "addresses")) return each;
    const unknown = each.addresses.find((address) => !accounts.has(address));
    if (unknown !== undefined)
      return errors.badRequest(`There is no user with the e-mail address ${unknown}`);
    return { kind: "direct", userIds: each.addresses.map((address) => accounts.get(address)!) };
  });
}

function isKind<Kind extends Found["kind"]>(
  found: Found | ApiError,
  kind: Kind,
): found is Extract<Found, { kind: Kind }> {
  return !(found instanceof ApiError) && found.kind === kind;
}

function channelDestination({ sender, to }: Addressed): Found {
  const list = to === undefined ? [] : typeof to === "object" ? to : [to];
  if (list.length > 1) throw errors.badRequest("to must name one channel");
  const channel = list[0] ?? sender.defaultSendingChannelId ?? undefined;
  if (channel === undefined) throw errors.badRequest("to must name a channel");
  if (typeof channel === "number") return { kind: "channel", channelId: channel };
  return { kind: "named", name: channel.trim() };
}

function directDestination({ to }: Addressed): Found {
  const listed = typeof to === "string" ? splitAddresses(to) : to;
  if (listed === undefined) throw errors.badRequest("to must name at least one user");
  if (typeof listed === "number")
    throw errors.badRequest("to must be a list of user IDs or of e-mail addresses");
  if (listed.every((item) => typeof item === "number")) return { kind: "direct", userIds: listed };
  if (listed.some((item) => typeof item === "number"))
    throw errors.badRequest("to must not mix user IDs and e-mail addresses");
  return { kind: "addresses", addresses: (listed as string[]).map((address) => address.trim()) };
}

function splitAddresses(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

const channelIdsNamed = statement({
  name: "channel-ids-by-names",
  text: `SELECT c.id, w.name FROM unnest($2::text[]) AS w (name)
    JOIN channels c ON c.realm_id = $1 AND lower(c.name) = lower(w.name)`,
  row: { id: column.int, name: column.text },
});

async function channelsNamed(
  sql: Sql,
  realmId: number,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await sql.rows(channelIdsNamed, [realmId, [...new Set(names)]]);
  return new Map(rows.map(({ id, name }) => [name, id]));
}

const byAddresses = statement({
  name: "account-ids-by-addresses",
  text: `SELECT u.id, w.address FROM unnest($2::text[]) AS w (address)
    JOIN users u ON u.realm_id = $1 AND lower(u.email) = lower(w.address)`,
  row: { id: column.int, address: column.text },
});

async function accountsAt(
  sql: Sql,
  realmId: number,
  addresses: readonly string[],
): Promise<Map<string, number>> {
  if (addresses.length === 0) return new Map();
  const rows = await sql.rows(byAddresses, [realmId, [...new Set(addresses)]]);
  return new Map(rows.map(({ id, address }) => [address, id]));
}
