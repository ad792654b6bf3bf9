import {
  addSubscriptions,
  channelPermissions,
  createChannel,
  createUserGroup,
  groupPermissions,
  groupSettingUpdateParameters,
  listChannels,
  listUserGroups,
  type Permissions,
  realmPermissions,
  register,
  updateRealm,
  updateUserGroup,
} from "@carillon/contract";
import { columnsOf, type PermissionScope, scopes } from "@carillon/model";
import { organization, type TestOrganization, useDatabase, useGateway } from "@carillon/testkit";
import { expect } from "chai";

const namesOf = (permissions: Permissions) => Object.values(permissions).map(({ name }) => name);
const sorted = (names: readonly string[]) => names.toSorted();

/** Picks the fields of a record that are named like a permission of any scope. */
const permissionsAmong = (fields: object) => {
  const all = new Set(
    [realmPermissions, channelPermissions, groupPermissions].flatMap((each: Permissions) =>
      namesOf(each),
    ),
  );
  return sorted(Object.keys(fields).filter((name) => all.has(name)));
};

// A permission declared in packages/contract/src/permissions/registry.ts works everywhere; these tests report what is
// missing.
describe("Every declared permission", () => {
  const db = useDatabase();

  for (const scope of ["realm", "channel", "group"] as const) {
    const { permissions, table } = scopes[scope];

    it(`has a column that refers to a group, and each such column belongs to a permission: ${table}`, async () => {
      const columns = await db.rows<{ name: string; required: boolean; kept: boolean }>(
        `SELECT a.attname AS name, a.attnotnull AS required, k.confdeltype = 'r' AS kept
         FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
         WHERE k.contype = 'f' AND k.conrelid = $1::regclass AND k.confrelid = 'user_group'::regclass
           AND a.attname <> 'id'`,
        [table],
      );
      expect(sorted(columns.map(({ name }) => name))).to.deep.equal(sorted(columnsOf(permissions)));
      for (const { name, required, kept } of columns)
        expect({ required, kept }, name).to.deep.equal({ required: true, kept: true });
    });

    it(`has its wire name in camelCase in the code: ${scope}`, () => {
      for (const [key, { name }] of Object.entries<{ name: string }>(permissions))
        expect(key).to.equal(
          name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        );
    });
  }

  it("is a parameter of the operations that create and change its objects", () => {
    const parameters: ReadonlyArray<[{ readonly params: object }, Permissions]> = [
      [updateRealm, realmPermissions],
      [createChannel, channelPermissions],
      [addSubscriptions, channelPermissions],
      [{ params: groupSettingUpdateParameters(channelPermissions) }, channelPermissions],
      [createUserGroup, groupPermissions],
      [updateUserGroup, groupPermissions],
    ];
    for (const [{ params }, permissions] of parameters)
      expect(permissionsAmong(params)).to.deep.equal(sorted(namesOf(permissions)));
    expect(permissionsAmong(updateRealm.result)).to.deep.equal(sorted(namesOf(realmPermissions)));
  });

  it("has a default that it may be set to, which for organizations is not the creator", () => {
    for (const { permissions } of Object.values(scopes))
      for (const permission of Object.values<Permissions[string]>(permissions)) {
        const { name, default: initial, allowEveryone, allowNobody } = permission;
        if (initial === "role:everyone") expect(allowEveryone, name).to.equal(true);
        if (initial === "role:nobody") expect(allowNobody, name).to.equal(true);
        const allowed = permission.allowedSystemGroups;
        if (allowed) expect(allowed, name).to.include(initial);
      }
    for (const { name, default: initial } of Object.values(realmPermissions))
      expect(initial, name).not.to.equal("creator");
  });

  describe("in answers", () => {
    const gateway = useGateway(db);
    let org: TestOrganization;
    before(async () => {
      org = await organization(db);
    });

    it("is a field of its objects, with its default", async () => {
      const client = gateway.as(org.admin);
      const creator = { direct_members: [org.admin.id], direct_subgroups: [] };
      const { id } = await client.succeed(createChannel, {
        params: { name: "permissions", subscribers: [] },
      });
      const { group_id } = await client.succeed(createUserGroup, {
        params: { name: "permissions", description: "", members: [] },
      });
      const { streams } = await client.succeed(listChannels);
      const { user_groups: groups } = await client.succeed(listUserGroups);
      const snapshot: Record<string, unknown> = await client.succeed(register);

      const shown: Readonly<Record<PermissionScope, [Permissions, object | undefined, string]>> = {
        realm: [realmPermissions, snapshot, "realm_"],
        channel: [channelPermissions, streams.find(({ stream_id }) => stream_id === id), ""],
        group: [groupPermissions, groups.find((group) => group.id === group_id), ""],
      };
      for (const [permissions, fields, prefix] of Object.values(shown))
        for (const { name, default: initial } of Object.values(permissions))
          expect(fields)
            .to.have.property(prefix + name)
            .that.deep.equals(initial === "creator" ? creator : org.groups[initial]);
    });

    it("is described to clients with its allowed values", async () => {
      const snapshot: Record<string, unknown> = await gateway.as(org.member).succeed(register);
      const supported = snapshot["server_supported_permission_settings"] as Record<string, object>;
      expect(Object.keys(supported)).to.deep.equal(["realm", "stream", "group"]);
      for (const [scope, permissions] of [
        ["realm", realmPermissions],
        ["stream", channelPermissions],
        ["group", groupPermissions],
      ] as const)
        expect(supported[scope]).to.have.all.keys(namesOf(permissions));
    });
  });
});
