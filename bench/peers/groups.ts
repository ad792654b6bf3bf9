import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { secretsOf } from "@carillon/model";
import { isGuest } from "@carillon/contract";
import pg from "pg";

// The least that listing user groups takes: no checks of the answer, no contract, no log, no snapshot of the three.
const secrets = secretsOf(process.env["SECRET_KEY"]!);
const pool = new pg.Pool({ connectionString: process.env["DATABASE_URL"]!, max: 10 });

const server = createServer((request, response) => {
  list(request).then(
    (user_groups) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ result: "success", msg: "", user_groups }));
    },
    (error: unknown) => {
      console.error(error);
      response.statusCode = 500;
      response.end();
    },
  );
});
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

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
interface Parts {
  readonly id: number;
  readonly ids: number[];
}

const keyText = "SELECT realm_id, role FROM users WHERE api_key_digest = $1 AND is_active";
const groupsText = `SELECT id, name, description, floor(extract(epoch FROM date_created))::float8 AS date_created,
    creator_id, is_system_group, deactivated, ${settings.map((name) => `${name}_id AS ${name}`).join(", ")}
  FROM named_user_group WHERE realm_id = $1 AND NOT deactivated ORDER BY id`;
const membersText = `SELECT m.group_id AS id, json_agg(m.user_id ORDER BY m.user_id) AS ids
  FROM user_group_member m JOIN users u ON u.id = m.user_id WHERE u.realm_id = $1 AND u.is_active GROUP BY 1`;
const subgroupsText = `SELECT s.supergroup_id AS id, json_agg(s.subgroup_id ORDER BY s.subgroup_id) AS ids
  FROM user_group_subgroup s JOIN user_group g ON g.id = s.supergroup_id WHERE g.realm_id = $1 GROUP BY 1`;

async function list(request: IncomingMessage): Promise<object[]> {
  const basic = Buffer.from(request.headers.authorization!.slice(6), "base64").toString();
  const key = basic.slice(basic.indexOf(":") + 1);
  const { rows } = await pool.query<{ realm_id: number; role: number }>({
    name: "key",
    text: keyText,
    values: [secrets.digest(key)],
  });
  const user = rows[0]!;
  if (isGuest(user)) throw new Error("guests may not");
  const values = [user.realm_id];
  const [groups, members, subgroups] = await Promise.all([
    pool.query<GroupRow>({ name: "groups", text: groupsText, values }),
    pool.query<Parts>({ name: "members", text: membersText, values }),
    pool.query<Parts>({ name: "subgroups", text: subgroupsText, values }),
  ]);
  return assemble(groups.rows, byId(members.rows), byId(subgroups.rows));
}

type ById = ReadonlyMap<number, number[]>;
const byId = (rows: readonly Parts[]): ById => new Map(rows.map(({ id, ids }) => [id, ids]));

function assemble(groups: readonly GroupRow[], members: ById, subgroups: ById): object[] {
  const named = new Set(groups.map(({ id }) => id));
  const value = (id: number) =>
    named.has(id)
      ? id
      : { direct_members: members.get(id) ?? [], direct_subgroups: subgroups.get(id) ?? [] };
  return groups.map((group) => ({
    ...group,
    ...Object.fromEntries(settings.map((name) => [name, value(group[name])])),
    members: members.get(group.id) ?? [],
    direct_subgroup_ids: subgroups.get(group.id) ?? [],
  }));
}
