import { type NewEvent, roles } from "@carillon/contract";
import { type Database, type RowOf, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { promoteFullMembers } from "@carillon/jobs";
import {
  type Account,
  groupEvents,
  loadSupergroups,
  loadSystemGroups,
  lockGroupGraph,
  type Realm,
  loadAfter,
} from "@carillon/model";
import { inEachOrganization, leads } from "@carillon/scheduling";

import { visibilityEvents, watchChannels } from "../groups/channel-visibility.ts";
import { deleteMembers } from "../groups/composition.ts";

const waiting = statement({
  name: "realms-with-waiting-period",
  text: "SELECT id FROM realms WHERE waiting_period_threshold > 0 AND NOT deactivated AND read_only_since IS NULL ORDER BY id",
});

/**
 * Promotes members to full members after their organization's waiting period (user-groups.md §2): one transaction for
 * each organization, one process at a time. Full members stay full members.
 * @param signal aborts the work
 * @returns how many organizations had new full members
 * @throws AggregateError for the organizations that failed, after the others are done
 */
export async function promoteMembers(db: Database, signal: AbortSignal): Promise<number> {
  const realms = await db.rows(waiting);
  return inEachOrganization(realms, signal, async (id) => ((await promoteIn(db, id)) ? 1 : 0));
}

const waitingPeriod = statement({
  name: "waiting-period",
  text: "SELECT waiting_period_threshold AS days FROM realms WHERE id = $1",
});

/** Promotes the members of one organization. Reads the waiting period under the lock that a change of the period takes. */
function promoteIn(db: Database, realmId: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await leads(tx, promoteFullMembers, realmId))) return false;
    const { realm, groups } = await loadAfter(lockGroupGraph(tx, realmId), {
      realm: tx.first(waitingPeriod, [realmId]),
      groups: loadSystemGroups(tx, realmId),
    });
    if (!realm || realm.days === 0) return false;
    const group = groups["role:fullmembers"];
    const events = await recomputeFullMembers(tx, realmId, group, realm.days, { both: false });
    emit(tx, realmId, events);
    return events.length > 0;
  });
}

const day = 86_400;

/** Whether the account has completed the organization's waiting period, in whole days. */
export function isPastWaitingPeriod(
  realm: Pick<Realm, "now" | "waitingPeriodThreshold">,
  account: Pick<Account, "dateJoined">,
): boolean {
  return Math.floor((realm.now - account.dateJoined) / day) >= realm.waitingPeriodThreshold;
}

/** SQL: whole days since the account `users u` joined. */
const age = `floor(extract(epoch FROM now() - u.date_joined) / ${day})`;

const movers = statement({
  name: "full-members-movers",
  // `joins`: False for members who leave the group.
  text: `SELECT u.id, u.is_active AS "isActive", m.user_id IS NULL AS joins
    FROM users u LEFT JOIN user_group_member m ON m.group_id = $2 AND m.user_id = u.id
    WHERE u.realm_id = $1 AND u.role = ${roles.member} AND u.system_bot_kind IS NULL
      AND CASE WHEN m.user_id IS NULL THEN ${age} >= $3 ELSE $4 AND ${age} < $3 END
    ORDER BY u.id`,
});

type Mover = RowOf<typeof movers>;

const joinGroup = statement({
  name: "full-members-join",
  text: `INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[]) ON CONFLICT DO NOTHING`,
});

/**
 * Adds members who have passed the waiting period to the full members' group, and with `both` removes the others
 * (user-groups.md §2). No events are made for deactivated accounts. The group graph must be locked.
 * @param groupId id of `role:fullmembers`
 * @param days the waiting period
 * @returns the events of the memberships, and of the channels that become visible or hidden through them
 */
export async function recomputeFullMembers(
  tx: Tx,
  realmId: number,
  groupId: number,
  days: number,
  { both }: { readonly both: boolean },
): Promise<NewEvent[]> {
  const found = await tx.rows(movers, [realmId, groupId, days, both]);
  if (found.length === 0) return [];
  const ids = (joins: boolean, among: readonly Mover[]) =>
    among.filter((mover) => mover.joins === joins).map(({ id }) => id);
  const active = found.filter(({ isActive }) => isActive);
  const watched = await watchChannels(
    tx,
    realmId,
    await loadSupergroups(tx, groupId),
    active.map(({ id }) => id),
  );
  await Promise.all([
    tx.rows(deleteMembers, [groupId, ids(false, found)]),
    tx.rows(joinGroup, [groupId, ids(true, found)]),
  ]);
  const group = { id: groupId, deactivated: false };
  return [
    ...groupEvents.membersRemoved(group, ids(false, active)),
    ...groupEvents.membersAdded(group, ids(true, active)),
    ...(await visibilityEvents(tx, watched)),
  ];
}
