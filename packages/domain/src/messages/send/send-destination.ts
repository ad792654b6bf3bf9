import type { Account, Destination } from "@carillon/model";
import { ApiError, errors } from "@carillon/contract";
import { statement, notNull, type Sql } from "@carillon/db";

import { attempt } from "./attempt.ts";

/** The `to` of `POST /messages`: an ID, a name, or a list of them. */
export type SendTo = number | string | ReadonlyArray<number | string>;

/** The destination as the request names it. */
export interface DestinationInput {
  readonly sender: Account;
  readonly toChannel: boolean;
  readonly to: SendTo | undefined;
}

/** A destination, or the name or addresses to look up for it. */
type Found =
  | Destination
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "addresses"; readonly addresses: readonly string[] };

/**
 * Resolves the destinations of messages that are sent now (scheduled-messages.md §6): channels by ID or name, users by ID
 * or visible e-mail address. All belong to one organization; sends one statement for all names and one for all addresses.
 * @returns the destination of each, or its rejection; the check finds out whether a channel exists
 */
export async function findDestinations(
  sql: Sql,
  realmId: number,
  addressed: readonly DestinationInput[],
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

function channelDestination({ sender, to }: DestinationInput): Found {
  const list = to === undefined ? [] : typeof to === "object" ? to : [to];
  if (list.length > 1) throw errors.badRequest("to must name one channel");
  const channel = list[0] ?? sender.defaultSendingChannelId ?? undefined;
  if (channel === undefined) throw errors.badRequest("to must name a channel");
  if (typeof channel === "number") return { kind: "channel", channelId: channel };
  return { kind: "named", name: channel.trim() };
}

function directDestination({ to }: DestinationInput): Found {
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
  overrides: { name: notNull },
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
  overrides: { address: notNull },
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
