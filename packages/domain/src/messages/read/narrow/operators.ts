import { errors, isGuest, maxId, type NarrowTerm } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import {
  accessMessages,
  flag,
  hasProtectedHistory,
  isFollowed,
  isMuted,
  isPublicSql,
  isWebPublicSql,
  membersOf,
  type Reader,
  resolvedPrefix,
  type SqlValues,
} from "@carillon/model";

import {
  badOperand,
  type NarrowContext,
  type NarrowOperator,
  narrowOperator,
  type Operand,
  operandTypes,
  type RowIndex,
  type TermPlan,
} from "./operator.ts";
import { search } from "./search.ts";

/**
 * `dm-with`: all direct messages in conversations of the account; with the viewer's own account, all direct messages.
 */
const dmWith = narrowOperator({
  names: ["dm-with", "dm-including"],
  operand: operandTypes.textOrId,
  compile: (operand, context) => directWith(operand, context, 1),
});

/** `near`: has no effect on the result; clients use it as a scroll position. */
const near = narrowOperator({
  names: ["near"],
  operand: operandTypes.text,
  compile: () => ({ ignoresNegation: true }),
});

/** `channels`: any channel of a kind. */
const channels = narrowOperator({
  names: ["channels", "streams"],
  operand: operandTypes.text,
  compile(operand, { viewer }) {
    const kind = Object.hasOwn(kinds, operand) ? kinds[operand] : undefined;
    if (!kind) throw badOperand("channels", operand, Object.keys(kinds));
    return {
      message: () => `EXISTS (SELECT 1 FROM recipients r JOIN channels c ON c.id = r.channel_id
        WHERE r.id = m.recipient_id AND ${kind.where} OFFSET 0)`,
      matches: "channel",
      sharedHistory: kind.sharedHistory && !isGuest(viewer),
      drive: { by: "channels", where: () => kind.where },
    };
  },
});

/** `mentions`: messages that mention an account by name and not silently; the operand is its ID or e-mail address. */
const mentions = narrowOperator({
  names: ["mentions"],
  operand: operandTypes.textOrId,
  async compile(operand, context) {
    const [id = 0] = await userIds([operand], context);
    return {
      message: (values) => `m.rendered_content LIKE '%${loud}%'
        AND mentioned_users(m.rendered_content) @> ARRAY[${values.add(String(id), "text")}]`,
      drive: { by: "mention", id },
    };
  },
});

const direct = (): TermPlan => ({
  message: () => "NOT m.is_channel",
  matches: "direct",
  drive: { by: "rows", index: "direct" },
  personalOnly: true,
});

/** `id`: exactly that message. */
const id = narrowOperator({
  names: ["id"],
  operand: operandTypes.textOrId,
  compile(operand) {
    const wanted = messageId("id", operand);
    return {
      message: (values) => `m.id = ${values.add(wanted, "bigint")}`,
      drive: { by: "message", id: wanted },
    };
  },
});

/** `dm`: exactly the conversation between the viewer and these accounts; naming the viewer is optional. */
const dm = narrowOperator({
  names: ["dm", "pm-with", "pm_with"],
  operand: operandTypes.textOrIds,
  async compile(operand, context) {
    const named =
      typeof operand === "string" ? operand.split(",").map((part) => part.trim()) : operand;
    const ids = await userIds(named, context);
    const recipientId =
      ids.length > 0
        ? await context.lookups.conversation(membersOf(context.viewer.id, ids))
        : undefined;
    if (recipientId === undefined) return { message: () => "false", matches: "direct" };
    return {
      message: (values) => `m.recipient_id = ${values.add(recipientId, "int")}`,
      drive: { by: "recipient", id: recipientId },
      matches: "direct",
    };
  },
});

/** `has`: messages that contain links, images or attachments, or have reactions. */
const has = narrowOperator({
  names: ["has"],
  operand: operandTypes.text,
  compile(operand) {
    const condition = Object.hasOwn(conditions, operand) ? conditions[operand] : undefined;
    if (!condition) throw badOperand("has", operand, Object.keys(conditions));
    return { message: () => condition };
  },
});

/** `sender`: by ID or e-mail address. */
const sender = narrowOperator({
  names: ["sender"],
  operand: operandTypes.textOrId,
  async compile(operand, context) {
    const [id = 0] = await userIds([operand], context);
    return {
      message: (values) => `m.sender_id = ${values.add(id, "int")}`,
      drive: { by: "sender", id },
    };
  },
});

/** `is`: a state of the message or of the viewer's copy. */
const is = narrowOperator({
  names: ["is"],
  operand: operandTypes.text,
  compile(operand, context) {
    const plan = Object.hasOwn(states, operand) ? states[operand] : undefined;
    if (!plan) throw badOperand("is", operand, Object.keys(states));
    return plan(context);
  },
});

/** `channel`: by ID or by name; a string of digits is a name. */
const channel = narrowOperator({
  names: ["channel", "stream"],
  operand: operandTypes.textOrId,
  async compile(operand, { lookups }) {
    const found = await lookups.channel(operand);
    if (!found) throw errors.badNarrow(`there is no channel ${operand}`);
    return {
      message: (values) => `m.recipient_id = ${values.add(found.recipientId, "int")}`,
      drive: { by: "recipient", id: found.recipientId },
      matches: "channel",
      sharedHistory: found.readable && !hasProtectedHistory(found),
      channelReadable: found.readable,
    };
  },
});

/** `group-pm-with`, deprecated: like `dm-with`, in conversations of three or more accounts. */
const groupDmWith = narrowOperator({
  names: ["group-pm-with", "group_pm_with"],
  operand: operandTypes.textOrId,
  compile: (operand, context) => directWith(operand, context, 3),
});

/** `topic`: compared ignoring case; the display name of the empty topic means the empty topic. */
const topic = narrowOperator({
  names: ["topic"],
  operand: operandTypes.text,
  async compile(operand, { realm }) {
    const { emptyTopicDisplayName } = await realm;
    const wanted = operand === emptyTopicDisplayName ? "" : operand;
    return {
      message: (values) => `m.is_channel AND lower(m.topic) = lower(${values.add(wanted, "text")})`,
      matches: "channel",
      drive: { by: "topic" },
    };
  },
});

/** `in`: `home` matches messages that are not muted, `all` matches everything. */
const inView = narrowOperator({
  names: ["in"],
  operand: operandTypes.text,
  compile(operand, { viewer }) {
    if (operand === "all") return { ignoresNegation: true };
    if (operand !== "home") throw badOperand("in", operand, ["home", "all"]);
    const muted = isMuted(viewer, { channels: true });
    return { message: (values: SqlValues) => `NOT (${muted(values)})` };
  },
});

/** All operators except `with`, which is replaced by other terms beforehand. */
const operators: readonly NarrowOperator[] = [
  channel,
  channels,
  topic,
  dm,
  dmWith,
  groupDmWith,
  sender,
  mentions,
  id,
  near,
  is,
  inView,
  has,
  search,
];

const byName = new Map(
  operators.flatMap((operator) => operator.names.map((name) => [name, operator] as const)),
);

/** Returns the operator with this name; case-sensitive, all are lower case. */
export function findOperator(name: string): NarrowOperator | undefined {
  return byName.get(name);
}

/** Conditions on a channel `c`. */
const kinds: Readonly<Record<string, { where: string; sharedHistory: boolean }>> = {
  public: { where: isPublicSql, sharedHistory: true },
  "web-public": { where: isWebPublicSql, sharedHistory: true },
  archived: { where: "c.is_archived", sharedHistory: false },
};

/**
 * Resolves accounts to ids.
 * @throws ApiError `BAD_NARROW` for the first one that does not exist
 */
async function userIds(
  named: readonly (string | number)[],
  { lookups }: NarrowContext,
): Promise<number[]> {
  const ids = await Promise.all(named.map((name) => lookups.user(name)));
  return ids.map((id, i) => {
    if (id === undefined) throw errors.badNarrow(`there is no user ${named[i]}`);
    return id;
  });
}

/** Matches direct messages in conversations of the account with at least this many participants. */
async function directWith(
  operand: string | number,
  context: NarrowContext,
  atLeast: number,
): Promise<TermPlan> {
  const [id] = await userIds([operand], context);
  return {
    message: (values) => `NOT m.is_channel AND EXISTS (SELECT 1 FROM recipients r
      WHERE r.id = m.recipient_id AND ${values.add(id, "int")} = ANY(r.member_ids)
        AND cardinality(r.member_ids) >= ${atLeast} OFFSET 0)`,
    drive: { by: "rows", index: "direct" },
    matches: "direct",
  };
}

/**
 * Parses a message ID.
 * @throws ApiError `BAD_NARROW` if it is invalid
 */
function messageId(operator: string, operand: string | number): number {
  const id = /^[0-9]+$/.test(String(operand)) ? Number(operand) : Number.NaN;
  if (!(id <= maxId)) throw errors.badNarrow(`${operator}:${operand} is not the ID of a message`);
  return id;
}

/**
 * Checks the type of the operand of `with`.
 * @throws ApiError `BAD_REQUEST` for a type that it never accepts
 */
export function checkWithOperand(operand: Operand): asserts operand is string | number {
  if (Array.isArray(operand))
    throw errors.badRequest("narrow: the operand of with must be a string or an ID");
}

const channelNames = new Set(["channel", "stream"]);
const directNames = new Set(["dm", "pm-with", "pm_with"]);

/**
 * Replaces the `with` term of a narrow. If the viewer can access the message, the terms that name a conversation are
 * replaced by the message's current conversation. Otherwise the term is dropped if other terms name a conversation
 * (messages.md §2.3).
 * @throws ApiError `BAD_NARROW`
 */
export async function followWith(
  sql: Sql,
  viewer: Reader,
  terms: readonly NarrowTerm[],
): Promise<readonly NarrowTerm[]> {
  const [term, second] = terms.filter(({ operator }) => operator === "with");
  if (!term) return terms;
  if (second)
    throw errors.badNarrow("a narrow must not have more than one term with the operator with");
  checkWithOperand(term.operand);
  const id = messageId("with", term.operand);

  const others = terms.filter(({ operator }) => operator !== "with");
  const conversation = await conversationOf(sql, viewer, id);
  if (conversation) {
    const rest = others.filter(({ operator }) => !namesConversation(operator));
    return [...rest, ...conversation];
  }
  const names = new Set(others.filter(({ negated }) => !negated).map(({ operator }) => operator));
  const namesTopic = names.has("topic") && hasAny(names, channelNames);
  if (namesTopic || hasAny(names, directNames)) return others;
  throw errors.badNarrow(`with:${id} names no message that you can see`);
}

function namesConversation(operator: string): boolean {
  return operator === "topic" || channelNames.has(operator) || directNames.has(operator);
}

function hasAny(names: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  return [...wanted].some((name) => names.has(name));
}

/** Returns terms for the message's conversation if the viewer can access the message (messages.md §6). */
async function conversationOf(
  sql: Sql,
  viewer: Reader,
  id: number,
): Promise<NarrowTerm[] | undefined> {
  const found = (await accessMessages(sql, viewer, [id])).get(id);
  if (!found) return undefined;
  const { channelId, topic, memberIds } = found;
  return channelId === null
    ? [{ operator: "dm", operand: memberIds ?? [], negated: false }]
    : [
        { operator: "channel", operand: channelId, negated: false },
        { operator: "topic", operand: topic, negated: false },
      ];
}

/** Conditions on columns that rendering fills, and on other tables. */
const conditions: Readonly<Record<string, string>> = {
  link: "m.has_link",
  image: "m.has_image",
  attachment: "m.has_attachment",
  reaction: "EXISTS (SELECT FROM reactions reaction WHERE reaction.message_id = m.id)",
};

function flagged(index: RowIndex, ...bits: readonly number[]): () => TermPlan {
  const mask = bits.reduce((all, bit) => all | bit, 0);
  return () => ({
    row: () => `um.flags & ${mask} <> 0`,
    drive: { by: "rows", index },
    personalOnly: true,
  });
}

const states: Readonly<Record<string, (context: NarrowContext) => TermPlan>> = {
  dm: direct,
  private: direct,
  unread: () => ({
    row: () => `um.flags & ${flag.read} = 0`,
    drive: { by: "rows", index: "unread" },
    personalOnly: true,
  }),
  starred: flagged("starred", flag.starred),
  mentioned: flagged(
    "mentioned",
    flag.mentioned,
    flag.streamWildcardMentioned,
    flag.topicWildcardMentioned,
  ),
  alerted: flagged("alerted", flag.hasAlertWord),
  muted: ({ viewer }) => ({ message: isMuted(viewer, { channels: true }), personalOnly: true }),
  followed: ({ viewer }) => ({ message: isFollowed(viewer), personalOnly: true }),
  resolved: () => ({ message: () => `m.is_channel AND starts_with(m.topic, '${resolvedPrefix}')` }),
};

/**
 * The beginning of a mention that is not silent (rendering.md §4); equal to the text in the index
 * `messages_mentions_idx`.
 */
const loud = `<span class="user-mention" data-user-id="`;
