import { organization, useDatabase, userGroup, type TestOrganization } from "@carillon/testkit";
import { ApiError, groupPermissions, realmPermissions, type Permission } from "@carillon/contract";
import { expect } from "chai";

import { checkGroupSettings } from "./check-group-settings.ts";
import { canonicalGroupValue, sameGroupValue } from "./group-setting-values.ts";

describe("Group-setting values", () => {
  const db = useDatabase();
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const set = (direct_members: number[], direct_subgroups: number[] = []) => ({
    direct_members,
    direct_subgroups,
  });

  it("use a named group if one is equivalent", () => {
    expect(canonicalGroupValue(set([]), 9)).to.equal(9);
    expect(canonicalGroupValue(set([], [4, 4]), 9)).to.equal(4);
    expect(canonicalGroupValue(set([], [5, 4]), 9)).to.deep.equal(set([], [4, 5]));
    expect(canonicalGroupValue(set([2, 1, 2], [4]), 9)).to.deep.equal(set([1, 2], [4]));
    expect(canonicalGroupValue(3, 9)).to.equal(3);
  });

  it("are equal in any order, but a named group never equals an anonymous one", () => {
    const [a, b] = [set([2, 1]), set([1, 2, 1])].map((value) => canonicalGroupValue(value, 9));
    expect(sameGroupValue(a ?? 0, b ?? 0)).to.equal(true);
    expect(sameGroupValue(set([1]), 1)).to.equal(false);
  });

  const refusal = async (permission: Permission, value: Parameters<typeof sameGroupValue>[0]) => {
    try {
      await db.transaction((tx) => checkGroupSettings(tx, org.realm.id, [{ permission, value }]));
      return "accepted";
    } catch (error) {
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  };

  it("are limited to what each permission allows", async () => {
    const { groups } = org;
    const group = await userGroup(db, org.realm);
    const web = realmPermissions.canCreateWebPublicChannelGroup;
    expect(await refusal(web, group.id)).to.equal("SYSTEM_GROUP_REQUIRED");
    expect(await refusal(web, set([org.member.id]))).to.equal("SYSTEM_GROUP_REQUIRED");
    expect(await refusal(web, groups["role:members"])).to.equal("BAD_REQUEST");
    expect(await refusal(web, groups["role:moderators"])).to.equal("accepted");
    expect(await refusal(realmPermissions.canManageAllGroups, groups["role:nobody"])).to.equal(
      "BAD_REQUEST",
    );
    expect(await refusal(groupPermissions.canMentionGroup, groups["role:owners"])).to.equal(
      "BAD_REQUEST",
    );
    expect(await refusal(groupPermissions.canMentionGroup, group.id)).to.equal("accepted");
    const parts = set([org.guest.id], [groups["role:everyone"], group.id]);
    expect(await refusal(realmPermissions.canCreateGroups, parts)).to.equal("accepted");
  });
});
