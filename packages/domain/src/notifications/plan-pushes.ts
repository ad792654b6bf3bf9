import { notNull, type RowOf, type Sql, statement, type Tx, typed } from "@carillon/db";
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

/** Maximum receivers examined in one transaction. */
const receiversAtOnce = 1_000;

/**
 * Decides which of one batch of receivers get push notifications of messages (push.md §9), and records the jobs that send
 * them, and a job for the next batch. The transaction that records these jobs also completes this job, so that each
 * message is pushed to an account at most once.
 * @param intentId this job's id, from which the keys of the following jobs are made
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

/** The current content decides whether the receiver is mentioned; the content as it was sent decides how. */
function mentionOf(
  { flags, groupIds, userId }: Candidate,
  named: readonly number[],
  sizes: ReadonlyMap<number, number>,
): Mention | undefined {
  if ((flags & flag.mentioned) === 0) return undefined;
  const id = named.includes(userId) ? undefined : smallestGroup(groupIds, sizes);
  return id === undefined ? { kind: "personal" } : { kind: "group", id };
}

/** Splits the pushes into calls of the bouncer. */
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

/**
 * A device to push to. Its key and token are only for the call: they must not be in a log or a job.
 * - `tokenId`: 8 bytes
 * - `pushKey`: 33 bytes
 */
export type Target = RowOf<typeof active>;

const active = statement({
  name: "devices-to-push-to",
  text: `SELECT d.id AS "deviceId", d.user_id AS "userId", d.push_token_id AS "tokenId", d.push_token_kind AS "tokenKind",
      d.push_key_id AS "pushKeyId", d.push_key AS "pushKey"
    FROM client_devices d WHERE d.user_id = ANY(ARRAY(SELECT unnest($1::int[]))) AND d.push_token_id IS NOT NULL
    ORDER BY d.user_id, d.id`,
  overrides: {
    /** 8 bytes */
    tokenId: notNull,
    tokenKind: typed<PushTokenKind>().notNull,
    pushKeyId: notNull,
    /** 33 bytes */
    pushKey: notNull,
  },
});

/** Loads the reachable devices of the accounts, by account. @param userIds without duplicates */
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

const facts = statement({
  name: "realm-for-pushes",
  text: `SELECT uuid, subdomain, name, empty_topic_display_name AS "emptyTopicDisplayName" FROM realms WHERE id = $1`,
});

/** The properties of an organization that notifications contain. */
export interface PushingRealm extends RowOf<typeof facts> {
  readonly url: string;
}

/** Loads the values of the organization that notifications contain. @throws Error if there is no such organization */
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
 * Records one job that plans the pushes of all new messages of a transaction (push.md §9), so that a burst is cheap.
 * @param messages ordered by id; only messages that have a receiver with a device
 */
export async function recordPushPlan(
  tx: Tx,
  realmId: number,
  messages: readonly NumberedMessage[],
): Promise<void> {
  const first = messages[0];
  if (!first) return;
  const payload = { messages: messages.map(intentEntryOf), after: 0 };
  await recordIntents(tx, realmId, planPushes, [{ key: String(first.id), payload }]);
}

function intentEntryOf({ id, rendered }: NumberedMessage): PlanPushesIntent["messages"][number] {
  const { mentionedUserIds: users, mentionedGroupIds: groups } = rendered;
  return {
    id,
    ...(users.length > 0 ? { users: [...users] } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(rendered.channelWildcard || rendered.topicWildcard ? { everybody: true as const } : {}),
  };
}

/** Maximum devices of one call of the bouncer; an account has at most half as many. */
const devicesInCall = 200;
