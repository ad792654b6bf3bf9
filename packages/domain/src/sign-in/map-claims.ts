import { isOwner, type NewEvent, roles } from "@carillon/contract";
import { type RowOf, type Database, type Sql, statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import {
  type AuditEntry,
  groupEvents,
  type IdentityProvider,
  loadAfter,
  loadRealm,
  loadSupergroups,
  lockAccountWithBots,
  lockGroupGraph,
  recordAudit,
} from "@carillon/model";

import { visibilityEvents, watchChannels } from "../groups/channel-visibility.ts";
import { deleteMembers, insertMembers } from "../groups/composition.ts";
import { changeRoleWithBots } from "../users/change-role.ts";

/** An account that signs in. */
interface Person {
  readonly id: number;
  readonly realmId: number;
}

type Mappings = Pick<IdentityProvider, "roles" | "groups">;

/**
 * Gives an account the role and the user groups that follow from the person's groups at the identity provider (people.md
 * §5). Takes no locks if nothing changes, which is the case at most sign-ins.
 * @param values the person's groups at the provider
 */
export async function applyMappings(
  db: Database,
  person: Person,
  mappings: Mappings,
  values: readonly string[],
): Promise<void> {
  const wanted = wantedBy(mappings, new Set(values));
  if (await isAlready(db, person, wanted)) return;
  await db.transaction((tx) => change(tx, person, wanted));
}

/** What the mappings say about one person. */
interface Wanted {
  /** Undefined if roles are not mapped. */
  readonly role: number | undefined;
  /** Whether the person is to be in each of the groups, by name. */
  readonly groups: ReadonlyMap<string, boolean>;
}

function wantedBy(mappings: Mappings, values: ReadonlySet<string>): Wanted {
  const groups = new Map<string, boolean>();
  for (const { group, value } of mappings.groups)
    groups.set(group, (groups.get(group) ?? false) || values.has(value));
  const found = mappings.roles.find(({ value }) => values.has(value));
  return {
    role: mappings.roles.length === 0 ? undefined : (found?.role ?? roles.member),
    groups,
  };
}

const membershipsOf = statement({
  name: "mapped-groups",
  text: `SELECT g.id, g.name, EXISTS (
        SELECT FROM user_group_member m WHERE m.group_id = g.id AND m.user_id = $2
      ) AS "isMember"
    FROM named_user_group g
    WHERE g.realm_id = $1 AND g.name = ANY($3::text[]) AND NOT g.is_system_group AND NOT g.deactivated
    ORDER BY g.id`,
});

const roleOf = statement({
  name: "role-of-person",
  text: "SELECT role FROM users WHERE realm_id = $1 AND id = $2",
});

type MappedGroup = RowOf<typeof membershipsOf>;

/** The groups that the person is to join or leave. */
async function groupsToChange(
  sql: Sql,
  { id, realmId }: Person,
  { groups }: Wanted,
): Promise<MappedGroup[]> {
  if (groups.size === 0) return [];
  const rows = await sql.rows(membershipsOf, [realmId, id, [...groups.keys()]]);
  return rows.filter(({ name, isMember }) => groups.get(name) !== isMember);
}

async function isAlready(sql: Sql, person: Person, wanted: Wanted): Promise<boolean> {
  const [now] = await sql.rows(roleOf, [person.realmId, person.id]);
  if (now && newRoleOf(now, wanted) !== undefined) return false;
  return (await groupsToChange(sql, person, wanted)).length === 0;
}

/** Returns the role that the person gets; undefined for no change. Mappings neither make nor change owners. */
function newRoleOf(now: { readonly role: number }, { role }: Wanted): number | undefined {
  return role === now.role || isOwner(now) ? undefined : role;
}

async function change(tx: Tx, person: Person, wanted: Wanted): Promise<void> {
  const { realmId } = person;
  const { locked, realm } = await loadAfter(lockGroupGraph(tx, realmId), {
    locked: lockAccountWithBots(tx, realmId, person.id),
    realm: loadRealm(tx, realmId),
  });
  const { account } = locked;
  if (!account?.isActive) return;
  const events: NewEvent[] = [];
  const audit: AuditEntry[] = [];
  const role = newRoleOf(account, wanted);
  if (role !== undefined) {
    const changed = await changeRoleWithBots(tx, realm, account, role);
    events.push(...changed.events);
    audit.push(...changed.audit);
  }
  for (const group of await groupsToChange(tx, person, wanted))
    events.push(...(await joinOrLeave(tx, person, group, audit)));
  recordAudit(tx, realmId, null, audit);
  emit(tx, realmId, events);
}

async function joinOrLeave(
  tx: Tx,
  { id: userId, realmId }: Person,
  { id, isMember }: MappedGroup,
  audit: AuditEntry[],
): Promise<NewEvent[]> {
  const watched = await watchChannels(tx, realmId, await loadSupergroups(tx, id), [userId]);
  await tx.rows(isMember ? deleteMembers : insertMembers, [id, [userId]]);
  const type = isMember ? "user_group_member_removed" : "user_group_member_added";
  audit.push({ type, userId, data: { group_id: id } });
  const group = { id, deactivated: false };
  return [
    ...(isMember
      ? groupEvents.membersRemoved(group, [userId])
      : groupEvents.membersAdded(group, [userId])),
    ...(await visibilityEvents(tx, watched)),
  ];
}
