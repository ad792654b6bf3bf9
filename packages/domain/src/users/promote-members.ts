import { type NewEvent, roles } from "@carillon/contract";
import { column, type Database, type RowOf, statement, type Tx } from "@carillon/db";
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
import { leads } from "@carillon/scheduling";

import { visibilityEvents, watchChannels } from "../groups/channel-visibility.ts";
import { deleteMembers } from "../groups/composition.ts";

const waiting = statement({
  name: "realms-with-waiting-period",
  text: "SELECT id FROM realms WHERE waiting_period_threshold > 0 AND NOT deactivated ORDER BY id",
  row: { id: column.int },
});

/**
 * Makes full members of those who have passed their organization's waiting period since the last time (user-groups.md
 * §2): one transaction an organization, one process at a time. A full member stays one.
 * @param signal fires when it is to come to an end
 * @returns how many organizations had new ones
 */
export async function promoteMembers(db: Database, signal: AbortSignal): Promise<number> {
  const realms = await db.rows(waiting);
  let promoted = 0;
  for (const { id } of realms) {
    if (signal.aborted) break;
    if (await promoteIn(db, id)) promoted++;
  }
  return promoted;
}

const waitingPeriod = statement({
  name: "waiting-period",
  text: "SELECT waiting_period_threshold AS days FROM realms WHERE id = $1",
  row: { days: column.int },
});

/** The threshold is read under the lock that its change needs. */
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

/** Whether the account has been here for as many whole days as the organization wants of a full member. */
export function isPastWaitingPeriod(
  realm: Pick<Realm, "now" | "waitingPeriodThreshold">,
  account: Pick<Account, "dateJoined">,
): boolean {
  return Math.floor((realm.now - account.dateJoined) / day) >= realm.waitingPeriodThreshold;
}

/** A member's whole days since it joined; of the table `users`, called `u`. */
const age = `floor(extract(epoch FROM now() - u.date_joined) / ${day})`;

const movers = statement({
  name: "full-members-movers",
  text: `SELECT u.id, u.is_active AS "isActive", m.user_id IS NULL AS joins
    FROM users u LEFT JOIN user_group_member m ON m.group_id = $2 AND m.user_id = u.id
    WHERE u.realm_id = $1 AND u.role = ${roles.member} AND u.system_bot_kind IS NULL
      AND CASE WHEN m.user_id IS NULL THEN ${age} >= $3 ELSE $4 AND ${age} < $3 END
    ORDER BY u.id`,
  row: {
    id: column.int,
    isActive: column.bool,
    /** False for those who leave. */
    joins: column.bool,
  },
});

type Mover = RowOf<typeof movers.columns>;

const joinGroup = statement({
  name: "full-members-join",
  text: `INSERT INTO user_group_member (group_id, user_id) SELECT $1, unnest($2::int[]) ON CONFLICT DO NOTHING`,
  row: {},
});

/**
 * Puts everybody into the full members' group who has passed the waiting period, and with `both` takes out who has
 * not (user-groups.md §2). Of those who are deactivated nobody is told. The group graph must be locked.
 * @param groupId of `role:fullmembers`
 * @param days that a full member has been here, at least
 * @returns what to tell: the memberships, and to those concerned the channels that these show or hide
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
