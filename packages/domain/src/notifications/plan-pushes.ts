import { column, type RowOf, type Sql, statement, type Tx } from "@carillon/db";
import { type PlannedPush, planPushes, type PlanPushesIntent, sendPushes } from "@carillon/jobs";
import {
  flag,
  type NumberedMessage,
  type PushTokenKind,
  realmUrl,
  type Site,
} from "@carillon/model";
import { recordIntents } from "@carillon/outbox";

import {
  type Candidate,
  groupsOf,
  loadCandidates,
  loadGroupSizes,
  type Mention,
  smallestGroup,
  triggerOf,
} from "./candidates.ts";

/** So many receivers are looked at in one transaction. */
const receiversAtOnce = 1_000;

/**
 * Finds out to whom messages are pushed (push.md §9), for one batch of their receivers, and writes down what is to be
 * sent; what is left to look at is the next intent's. Since both are written with the end of this one, each message is in
 * one intent only for each account: it is pushed once at most.
 * @param intentId its own, which names those that follow
 */
export async function planPushBatch(
  tx: Tx,
  realmId: number,
  intentId: number,
  intent: PlanPushesIntent,
): Promise<void> {
  const { messages } = intent;
  const [candidates, sizes] = await Promise.all([
    loadCandidates(tx, realmId, intent, receiversAtOnce),
    loadGroupSizes(tx, groupsOf(messages)),
  ]);
  const pushes = candidates.flatMap((candidate) => {
    const message = messages[candidate.place - 1]!;
    const mention = mentionOf(candidate, message.users ?? [], sizes);
    const triggered = triggerOf({ ...candidate, ...wildcardsOf(candidate), mention });
    if (!triggered) return [];
    const { userId, devices } = candidate;
    return [{ push: { userId, messageId: message.id, ...triggered }, devices }];
  });
  await recordIntents(
    tx,
    realmId,
    sendPushes,
    calls(pushes).map((call, i) => ({ key: `${intentId}-${i}`, payload: { pushes: call } })),
  );
  const last = candidates.length === receiversAtOnce ? candidates.at(-1) : undefined;
  if (!last) return;
  const rest = { messages: messages.slice(last.place - 1), after: last.userId };
  await recordIntents(tx, realmId, planPushes, [{ key: `after-${intentId}`, payload: rest }]);
}

function wildcardsOf({ flags }: Candidate) {
  return {
    topicWildcard: (flags & flag.topicWildcardMentioned) !== 0,
    channelWildcard: (flags & flag.streamWildcardMentioned) !== 0,
  };
}

/** What the message says by now decides whether somebody is mentioned, and what it said when it was sent how. */
function mentionOf(
  { flags, groupIds, userId }: Candidate,
  named: readonly number[],
  sizes: ReadonlyMap<number, number>,
): Mention | undefined {
  if ((flags & flag.mentioned) === 0) return undefined;
  const id = named.includes(userId) ? undefined : smallestGroup(groupIds, sizes);
  return id === undefined ? { kind: "personal" } : { kind: "group", id };
}

/** Parts what is to be sent into calls of the bouncer. */
function calls(
  pushes: ReadonlyArray<{ readonly push: PlannedPush; readonly devices: number }>,
): PlannedPush[][] {
  const parted: PlannedPush[][] = [];
  let left = 0;
  for (const { push, devices } of pushes) {
    if (devices > left || parted.length === 0) {
      parted.push([]);
      left = devicesInCall;
    }
    parted.at(-1)?.push(push);
    left -= devices;
  }
  return parted;
}

const targetRow = {
  deviceId: column.bigint,
  userId: column.int,
  /** 8 bytes */
  tokenId: column.bytes.neverNullHere(),
  tokenKind: column.text.as<PushTokenKind>().neverNullHere(),
  pushKeyId: column.bigint.neverNullHere(),
  /** 33 bytes */
  pushKey: column.bytes.neverNullHere(),
};

/** A device that can be pushed to. Its key and token are for the call alone: they go into no log and no job. */
export type Target = RowOf<typeof targetRow>;

const active = statement({
  name: "devices-to-push-to",
  text: `SELECT d.id AS "deviceId", d.user_id AS "userId", d.push_token_id AS "tokenId", d.push_token_kind AS "tokenKind",
      d.push_key_id AS "pushKeyId", d.push_key AS "pushKey"
    FROM client_devices d WHERE d.user_id = ANY(ARRAY(SELECT unnest($1::int[]))) AND d.push_token_id IS NOT NULL
    ORDER BY d.user_id, d.id`,
  row: targetRow,
});

/** The devices of the accounts that can be reached, by account. @param userIds each once */
export async function loadTargets(
  sql: Sql,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Target[]>> {
  const byUser = new Map<number, Target[]>();
  for (const target of await sql.rows(active, [userIds])) {
    const targets = byUser.get(target.userId);
    if (targets) targets.push(target);
    else byUser.set(target.userId, [target]);
  }
  return byUser;
}

const realmRow = {
  uuid: column.uuid,
  subdomain: column.text,
  name: column.text,
  emptyTopicDisplayName: column.text,
};

const facts = statement({
  name: "realm-for-pushes",
  text: `SELECT uuid, subdomain, name, empty_topic_display_name AS "emptyTopicDisplayName" FROM realms WHERE id = $1`,
  row: realmRow,
});

/** An organization, as far as notifications tell of it. */
export interface PushingRealm extends RowOf<typeof realmRow> {
  readonly url: string;
}

export async function loadPushingRealm(
  sql: Sql,
  site: Pick<Site, "url">,
  realmId: number,
): Promise<PushingRealm> {
  const [realm] = await sql.rows(facts, [realmId]);
  if (!realm) throw new Error(`there is no organization ${realmId}`);
  return { ...realm, url: realmUrl(site, realm) };
}

/**
 * Writes down that it is to be found out to whom new messages are pushed (push.md §9): one intent for all of a
 * transaction, whatever their number, so that a burst costs little.
 * @param messages in the order of their ids; those of whose receivers somebody has a device
 */
export async function recordPushPlan(
  tx: Tx,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<void> {
  const first = messages[0];
  if (!first) return;
  const payload = { messages: messages.map(called), after: 0 };
  await recordIntents(tx, realmId, planPushes, [{ key: String(first.id), payload }]);
}

function called({ id, rendered }: NumberedMessage): PlanPushesIntent["messages"][number] {
  const { mentionedUserIds: users, mentionedGroupIds: groups } = rendered;
  return {
    id,
    ...(users.length > 0 ? { users: [...users] } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(rendered.channelWildcard || rendered.topicWildcard ? { everybody: true as const } : {}),
  };
}

/** So many devices are pushed to by one call of the bouncer; an account has at most half as many. */
export const devicesInCall = 200;
