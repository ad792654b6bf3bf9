import type { Sql } from "@carillon/db";
import { BadParameter, given, givenText, givenTime } from "../http/parameters.ts";
import { findAccountIds } from "../places/accounts.ts";
import { findChannelIds } from "../places/channels.ts";
import { findOrganizationId } from "../places/organization.ts";

/** Filter of failures, as requested; all given conditions must hold. */
export interface FailedQuery {
  /** Name, subdomain or id of an organization. */
  readonly realm?: string;
  /** Name, e-mail address or id of an author. */
  readonly sender?: string;
  /** Name or id of a channel. */
  readonly channel?: string;
  readonly reason?: string;
  /** UNIX seconds, inclusive. */
  readonly since?: number;
  /** UNIX seconds, exclusive. */
  readonly until?: number;
}

/** A {@link FailedQuery} with ids instead of names; an empty list of ids matches nothing. */
export interface FailedFilter extends Pick<FailedQuery, "reason" | "since" | "until"> {
  readonly realmId?: number;
  readonly senderIds?: readonly number[];
  readonly channelIds?: readonly number[];
}

/** Reads the filter of failed messages from the parameters of a request. @throws BadParameter */
export function readFailedQuery(fields: URLSearchParams): FailedQuery {
  const realm = givenText(fields, "realm", 60);
  const sender = givenText(fields, "sender", 254);
  const channel = givenText(fields, "channel", 60);
  const reason = given(fields, "reason");
  const since = givenTime(fields, "since");
  const until = givenTime(fields, "until");
  if (reason !== undefined && (reason.length > 5_000 || reason.includes("\0")))
    throw new BadParameter("reason must be the whole reason, as it is listed");
  return {
    ...(realm === undefined ? {} : { realm }),
    ...(sender === undefined ? {} : { sender }),
    ...(channel === undefined ? {} : { channel }),
    ...(reason === undefined ? {} : { reason }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** Resolves names to ids. @throws BadParameter when a name is too ambiguous */
export async function resolveFailedQuery(sql: Sql, query: FailedQuery): Promise<FailedFilter> {
  const { realm, sender, channel, ...rest } = query;
  const realmId = realm === undefined ? undefined : await findOrganizationId(sql, realm);
  const [senderIds, channelIds] = await Promise.all([
    sender === undefined ? undefined : findAccountIds(sql, sender, realmId),
    channel === undefined ? undefined : findChannelIds(sql, channel, realmId),
  ]);
  return {
    ...rest,
    ...(realmId === undefined ? {} : { realmId }),
    ...(senderIds === undefined ? {} : { senderIds }),
    ...(channelIds === undefined ? {} : { channelIds }),
  };
}

/** A condition on `delivery_failures f`, with its values from `$1` on. */
export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Builds conditions only for given filters, so that each combination can use its index. */
export function conditionOf(filter: FailedFilter): Condition {
  const values: unknown[] = [];
  const value = (given: unknown, type: string) => `$${values.push(given)}::${type}`;
  const oneOf = (name: string, ids: readonly number[]) =>
    ids.length === 1
      ? `${name} = ${value(ids[0], "int")}`
      : `${name} = ANY(${value(ids, "int[]")})`;
  const { realmId, senderIds, channelIds, reason, since, until } = filter;
  const parts = ["true"];
  if (realmId !== undefined) parts.push(`f.realm_id = ${value(realmId, "int")}`);
  if (senderIds !== undefined) parts.push(oneOf("f.sender_id", senderIds));
  if (channelIds !== undefined) parts.push(oneOf("f.channel_id", channelIds));
  if (reason !== undefined) {
    const text = value(reason, "text");
    parts.push(`md5(f.reason) = md5(${text}) AND f.reason = ${text}`);
  }
  if (since !== undefined) parts.push(`f.failed_at >= to_timestamp(${value(since, "float8")})`);
  if (until !== undefined) parts.push(`f.failed_at < to_timestamp(${value(until, "float8")})`);
  return { text: parts.join(" AND "), values };
}

/** Example filters for the test that describes statements. */
export const exampleFilters: readonly FailedFilter[] = [
  {},
  { realmId: 1, senderIds: [1], channelIds: [1], reason: "x", since: 1, until: 2 },
  { senderIds: [1, 2], channelIds: [1, 2] },
];
