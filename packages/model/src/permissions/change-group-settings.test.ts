import {
  channel,
  organization,
  useDatabase,
  user,
  userGroup,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { ApiError, type GroupSettingValue } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { expect } from "chai";

import {
  changeGroupSettings,
  type ChangedGroupSetting,
  type GroupSettingsOwner,
} from "./change-group-settings.ts";
import { columnOf, loadGroupValues } from "./group-setting-values.ts";
import { lockGroupGraph } from "./lock-groups.ts";
import { scopes, type GroupSettingUpdates, type PermissionScope } from "./memberships.ts";

const set = (direct_members: number[], direct_subgroups: number[] = []) => ({
  direct_members,
  direct_subgroups,
});

/** A permission of each scope that allows any value except role:everyone. */
const chosen = {
  realm: { key: "canCreateGroups", permission: scopes.realm.permissions.canCreateGroups },
  channel: {
    key: "canSubscribeGroup",
    permission: scopes.channel.permissions.canSubscribeGroup,
  },
  group: { key: "canManageGroup", permission: scopes.group.permissions.canManageGroup },
} as const;

type Groups = GroupSettingsOwner<PermissionScope>["groups"];

for (const scope of ["realm", "channel", "group"] as const)
  describe(`Setting permissions, scope ${scope}`, () => {
    const db = useDatabase();
    const { key, permission } = chosen[scope];
    const { table } = scopes[scope];
    let org: TestOrganization;
    let person: TestAccount;
    let id: number;

    before(async () => {
      org = await organization(db);
      person = await user(db, org.realm);
      const { realm } = org;
      const owners = {
        realm: async () => realm,
        channel: () => channel(db, realm),
        group: () => userGroup(db, realm),
      };
      ({ id } = await owners[scope]());
    });

    const groupNow = async (tx: Pick<Tx, "rows">) => {
      const [row] = await tx.rows<{ group: number }>(
        `SELECT ${columnOf(permission)} AS "group" FROM ${table} WHERE id = $1`,
        [id],
      );
      return row?.group ?? 0;
    };
    const valueNow = async () =>
      (await loadGroupValues(db, [await groupNow(db)]))(await groupNow(db));

    const change = (
      update: { new: GroupSettingValue; old?: GroupSettingValue },
      authorize?: (changes: readonly ChangedGroupSetting[]) => void,
    ) =>
      db.transaction(async (tx) => {
        await lockGroupGraph(tx, org.realm.id);
        const groups = { [key]: await groupNow(tx) } as Groups;
        const owner = { scope, id, groups };
        const updates = { [key]: update } as GroupSettingUpdates<PermissionScope>;
        const options = authorize ? { authorize } : {};
        return changeGroupSettings(tx, org.realm.id, owner, updates, options);
      });

    const refusal = async (...asked: Parameters<typeof change>) => {
      const before = await valueNow();
      const error: unknown = await change(...asked).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ApiError);
      expect(await valueNow()).to.deep.equal(before);
      return (error as ApiError).code;
    };

    it("returns the old and the new value, and omits unchanged permissions", async () => {
      const before = await valueNow();
      const value = set([person.id]);
      const { name } = permission;
      expect(await change({ new: value })).to.deep.equal([{ name, before, value }]);
      expect(await valueNow()).to.deep.equal(value);
      expect(await change({ new: set([person.id, person.id]) })).to.deep.equal([]);
    });

    it("changes an anonymous group in place, and deletes it when a named group replaces it", async () => {
      const named = org.groups["role:moderators"];
      await change({ new: named });
      const count = await db.prisma.userGroup.count();
      await change({ new: set([person.id]) });
      const own = await groupNow(db);
      await change({ new: set([org.admin.id], [named]), old: set([person.id]) });
      expect(await groupNow(db)).to.equal(own);
      expect(await valueNow()).to.deep.equal(set([org.admin.id], [named]));
      await change({ new: named });
      expect(await db.prisma.userGroup.count()).to.equal(count);
    });

    it("leaves deactivated accounts out of sent and expected values", async () => {
      const gone = await user(db, org.realm);
      await change({ new: set([gone.id, person.id]) });
      await db.rows("UPDATE users SET is_active = false WHERE id = $1", [gone.id]);
      expect(await valueNow()).to.deep.equal(set([person.id]));
      expect(await change({ new: set([org.admin.id]), old: set([person.id]) })).to.have.length(1);
    });

    it("rejects an unexpected old value first, then an invalid new value", async () => {
      const nobody = org.groups["role:nobody"];
      const everyone = org.groups["role:everyone"];
      expect(await refusal({ new: everyone, old: set([2_000_000_000]) })).to.equal(
        "EXPECTATION_MISMATCH",
      );
      expect(await refusal({ new: everyone })).to.equal("BAD_REQUEST");
      expect(await refusal({ new: set([2_000_000_000]) })).to.equal("BAD_REQUEST");
      await change({ new: set([]) });
      expect(await valueNow()).to.equal(nobody);
    });

    it("calls authorize only for actual changes, and before checking the values", async () => {
      const asked: unknown[] = [];
      await change({ new: org.groups["role:nobody"] }, (changes) => asked.push(...changes));
      expect(asked).to.deep.equal([]);
      const refuse = (): never => {
        throw new ApiError("UNAUTHORIZED_PRINCIPAL", "not you");
      };
      expect(await refusal({ new: org.groups["role:everyone"] }, refuse)).to.equal(
        "UNAUTHORIZED_PRINCIPAL",
      );
    });
  });
