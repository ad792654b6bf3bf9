import { BadParameter, given, givenId, givenTime, maxInt } from "../http/parameters.ts";

/** Which failures: those for which all that is given holds. */
export interface FailedFilter {
  readonly realmId?: number;
  /** Id of an account, or an e-mail address. */
  readonly sender?: number | string;
  readonly channelId?: number;
  readonly reason?: string;
  /** UNIX seconds, the first one that is meant. */
  readonly since?: number;
  /** UNIX seconds, the first one that is not. */
  readonly until?: number;
}

/** No address is longer. */
const longestAddress = 254;

/** @throws BadParameter */
export function readFailedFilter(fields: URLSearchParams): FailedFilter {
  const realmId = givenId(fields, "realm");
  const sender = given(fields, "sender");
  const channelId = givenId(fields, "channel");
  const reason = given(fields, "reason");
  const since = givenTime(fields, "since");
  const until = givenTime(fields, "until");
  if (reason !== undefined && (reason.length > 5_000 || reason.includes("\0")))
    throw new BadParameter("reason must be the whole reason, as it is listed");
  return {
    ...(realmId === undefined ? {} : { realmId }),
    ...(sender === undefined ? {} : { sender: readSender(sender) }),
    ...(channelId === undefined ? {} : { channelId }),
    ...(reason === undefined ? {} : { reason }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** @throws BadParameter */
function readSender(text: string): number | string {
  if (/^\d{1,10}$/.test(text) && Number(text) <= maxInt) return Number(text);
  if (text.includes("@") && text.length <= longestAddress && !text.includes("\0")) return text;
  throw new BadParameter("sender must be the number of an account or an e-mail address");
}

/** A condition on `delivery_failures f`, with its values from `$1` on. */
export interface Condition {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** One condition for what is given, and none for what is not, so that each filter finds its index. */
export function conditionOf(filter: FailedFilter): Condition {
  const values: unknown[] = [];
  const value = (given: unknown, type: string) => `$${values.push(given)}::${type}`;
  const { realmId, sender, channelId, reason, since, until } = filter;
  const parts = ["true"];
  if (realmId !== undefined) parts.push(`f.realm_id = ${value(realmId, "int")}`);
  if (typeof sender === "number") parts.push(`f.sender_id = ${value(sender, "int")}`);
  if (typeof sender === "string") {
    const address = value(sender, "text");
    parts.push(`f.sender_id = ANY(ARRAY(SELECT id FROM users
      WHERE lower(delivery_email) = lower(${address}) OR lower(email) = lower(${address}) LIMIT 100))`);
  }
  if (channelId !== undefined) parts.push(`f.channel_id = ${value(channelId, "int")}`);
  if (reason !== undefined) {
    const text = value(reason, "text");
    parts.push(`md5(f.reason) = md5(${text}) AND f.reason = ${text}`);
  }
  if (since !== undefined) parts.push(`f.failed_at >= to_timestamp(${value(since, "float8")})`);
  if (until !== undefined) parts.push(`f.failed_at < to_timestamp(${value(until, "float8")})`);
  return { text: parts.join(" AND "), values };
}

/** For the test that describes statements: the texts that there are. */
export const exampleFilters: readonly FailedFilter[] = [
  {},
  { realmId: 1, sender: 1, channelId: 1, reason: "x", since: 1, until: 2 },
  { sender: "a@b.c" },
];
