import { pool, serveBare, type Caller } from "./bare-server.ts";
import { byId, groupValues, type ById, type Parts } from "./group-values.ts";

// The minimal cost of listing user groups: the three queries share no database snapshot.
serveBare(async (caller) => ({ user_groups: await list(caller) }));

const settings = [
  "can_add_members_group",
  "can_join_group",
  "can_leave_group",
  "can_manage_group",
  "can_mention_group",
  "can_remove_members_group",
] as const;
type Setting = (typeof settings)[number];

interface GroupRow extends Record<Setting, number> {
  readonly id: number;
}

const groupsText = `SELECT id, name, description, floor(extract(epoch FROM date_created))::float8 AS date_created,
    creator_id, is_system_group, deactivated, ${settings.map((name) => `${name}_id AS ${name}`).join(", ")}
  FROM named_user_group WHERE realm_id = $1 AND NOT deactivated ORDER BY id`;
const membersText = `SELECT m.group_id AS id, json_agg(m.user_id ORDER BY m.user_id) AS ids
  FROM user_group_member m JOIN users u ON u.id = m.user_id WHERE u.realm_id = $1 AND u.is_active GROUP BY 1`;
const subgroupsText = `SELECT s.supergroup_id AS id, json_agg(s.subgroup_id ORDER BY s.subgroup_id) AS ids
  FROM user_group_subgroup s JOIN user_group g ON g.id = s.supergroup_id WHERE g.realm_id = $1 GROUP BY 1`;

async function list(user: Caller): Promise<object[]> {
  const values = [user.realm_id];
  const [groups, members, subgroups] = await Promise.all([
    pool.query<GroupRow>({ name: "groups", text: groupsText, values }),
    pool.query<Parts>({ name: "members", text: membersText, values }),
    pool.query<Parts>({ name: "subgroups", text: subgroupsText, values }),
  ]);
  return assemble(groups.rows, byId(members.rows), byId(subgroups.rows));
}

function assemble(groups: readonly GroupRow[], members: ById, subgroups: ById): object[] {
  const named = new Set(groups.map(({ id }) => id));
  const value = groupValues(named, members, subgroups);
  return groups.map((group) => ({
    ...group,
    ...Object.fromEntries(settings.map((name) => [name, value(group[name])])),
    members: members.get(group.id) ?? [],
    direct_subgroup_ids: subgroups.get(group.id) ?? [],
  }));
}
