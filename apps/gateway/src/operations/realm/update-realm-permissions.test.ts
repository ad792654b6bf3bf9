import { type RealmPermission, type Permission, realmPermissions } from "@carillon/contract";
import { loadRealm } from "@carillon/model";
import {
  announced,
  anonymousGroup,
  changeOrganization,
  countQueries,
  organization,
  type QueryCount,
  type Params,
  realmChanging,
  applyRealmEvents,
  realmUpdate,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

const rules = Object.entries<Permission>(realmPermissions);
const systemNames = [
  "role:internet",
  "role:everyone",
  "role:members",
  "role:fullmembers",
  "role:moderators",
  "role:administrators",
  "role:owners",
  "role:nobody",
] as const;

/** Without wake-up notifications, which may be sent after the response. */
const ownStatements = ({ statements }: QueryCount<unknown>) =>
  statements.filter((text) => !text.includes("pg_notify"));

describe("PATCH /realm: permissions", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const { patch, change, refuses, shown } = realmChanging({
    db,
    as: (account) => gateway.as(account),
  });
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  describe("permissions", () => {
    for (const [key, rule] of rules)
      it(`${rule.name} accepts its allowed system groups only`, async () => {
        const own = org.groups;
        for (const name of systemNames) {
          const column = `${key as RealmPermission}Id` as const;
          const other_ = name === "role:owners" ? own["role:administrators"] : own["role:owners"];
          await changeOrganization(db, org.realm, { [column]: other_ });
          const allowed =
            name !== "role:internet" &&
            (rule.allowEveryone || name !== "role:everyone") &&
            (rule.allowNobody || name !== "role:nobody") &&
            (rule.allowedSystemGroups?.includes(name) ?? true);
          const params = { [rule.name]: { new: own[name] } };
          if (!allowed) {
            await refuses(org.owner, params);
            continue;
          }
          const before = await shown(org.guest);
          const { answer, events } = await change(org.owner, params);
          expect(answer).to.deep.equal({ [rule.name]: own[name] });
          expect(announced(events)[0]).to.deep.equal(realmUpdate({ [rule.name]: own[name] }));
          expect(applyRealmEvents(before, events), name).to.deep.equal(await shown(org.guest));
        }
        const group = await userGroup(db, org.realm);
        const set = { direct_members: [org.member.id], direct_subgroups: [] };
        for (const value of [group.id, set])
          if (rule.requireSystemGroup)
            await refuses(org.owner, { [rule.name]: { new: value } }, "SYSTEM_GROUP_REQUIRED", {
              setting_name: rule.name,
            });
          else {
            const before = await shown(org.guest);
            const { answer, events } = await change(org.owner, { [rule.name]: { new: value } });
            expect(answer).to.deep.equal({ [rule.name]: value });
            expect(applyRealmEvents(before, events)).to.deep.equal(await shown(org.guest));
          }
        const now = await shown(org.guest);
        if (!rule.requireSystemGroup) expect(now[`realm_${rule.name}`]).to.deep.equal(set);
      });

    it("are sent to older clients by number if they change", async () => {
      const own = await organization(db);
      const numbers = async (group: number | object) => {
        const names = [
          "can_mention_many_users_group",
          "can_create_public_channel_group",
          "can_create_private_channel_group",
        ];
        const params = Object.fromEntries(names.map((name) => [name, { new: group }]));
        const { events } = await change(own.owner, params);
        return announced(events.slice(1));
      };
      const update = (property: string, value: number) => ({
        type: "realm",
        op: "update",
        payload: { property, value },
        audience: null,
      });
      expect(await numbers(own.groups["role:moderators"])).to.deep.equal([
        update("create_public_stream_policy", 4),
        update("create_private_stream_policy", 4),
        update("wildcard_mention_policy", 7),
      ]);
      // An anonymous group has no number: older clients get the number of administrators.
      expect(await numbers(own.groups["role:administrators"])).to.have.length(3);
      const set = { direct_members: [own.member.id], direct_subgroups: [] };
      expect(await numbers(set)).to.deep.equal([]);
    });

    const name = "can_add_subscribers_group";

    it("may be anonymous groups, stored once and changed in place", async () => {
      const own = await organization(db);
      const group = await userGroup(db, own.realm);
      const before = await db.prisma.userGroup.count();
      const set = { direct_members: [own.guest.id, own.bot.id], direct_subgroups: [group.id] };
      const sorted = { ...set, direct_members: [own.guest.id, own.bot.id].sort((a, b) => a - b) };
      const first = await change(own.owner, { [name]: { new: set } });
      expect(first.answer).to.deep.equal({ [name]: sorted });
      const holder = (await loadRealm(db, own.realm.id)).groups.canAddSubscribersGroup;
      const smaller = { direct_members: [own.guest.id], direct_subgroups: [group.id] };
      await change(own.owner, { [name]: { new: smaller, old: { ...set } } });
      expect((await loadRealm(db, own.realm.id)).groups.canAddSubscribersGroup).to.equal(holder);
      expect(await db.prisma.userGroup.count()).to.equal(before + 1);
      await change(own.owner, { [name]: { new: group.id, old: smaller } });
      expect(await db.prisma.userGroup.count()).to.equal(before);
    });

    it("are simplified: a single subgroup becomes that group, an empty set becomes nobody", async () => {
      const own = await organization(db);
      const set = (direct_subgroups: number[]) => ({ direct_members: [], direct_subgroups });
      const moderators = own.groups["role:moderators"];
      const one = await change(own.owner, { [name]: { new: set([moderators, moderators]) } });
      expect(one.answer).to.deep.equal({ [name]: moderators });
      const none = await change(own.owner, { [name]: { new: set([]), old: set([moderators]) } });
      expect(none.answer).to.deep.equal({ [name]: own.groups["role:nobody"] });
      await refuses(own.owner, { [name]: { new: set([own.groups["role:everyone"]]) } });
    });

    it("require the expected old value before any other check", async () => {
      const own = await organization(db);
      const [members, owners] = [own.groups["role:members"], own.groups["role:owners"]];
      for (const value of [owners, members, 0, own.groups["role:internet"]])
        await refuses(
          own.owner,
          { name: "Not Changed", [name]: { new: value, old: owners } },
          "EXPECTATION_MISMATCH",
          { field_name: "old" },
        );
      const same = await change(own.owner, { [name]: { new: members, old: members } });
      expect(same).to.deep.equal({ answer: {}, events: [] });
      const { answer } = await change(own.owner, { [name]: { new: owners, old: members } });
      expect(answer).to.deep.equal({ [name]: owners });
    });

    it("change for one of several requests with the same expected value", async () => {
      const own = await organization(db);
      const old = own.groups["role:members"];
      const answers = await Promise.all(
        (["role:owners", "role:moderators", "role:nobody"] as const).map((group) =>
          patch(own.owner, { [name]: { new: own.groups[group], old } }),
        ),
      );
      expect(answers.map(({ body }) => body.code ?? "ok")).to.have.members([
        "ok",
        "EXPECTATION_MISMATCH",
        "EXPECTATION_MISMATCH",
      ]);
    });

    for (const value of ["5", { old: 5 }, { new: "5" }, { new: {} }, [], "null", { new: null }])
      it(`refuse ${JSON.stringify(value)}`, () => refuses(org.owner, { [name]: value }));

    it("refuse accounts of other organizations, and unknown, deactivated or anonymous groups", async () => {
      const gone = await user(db, org.realm, { isActive: false });
      const retired = await userGroup(db, org.realm, { deactivated: true });
      const anonymous = await anonymousGroup(db, org.realm.id, [org.member.id]);
      const foreign = await userGroup(db, other.realm);
      for (const id of [retired.id, anonymous, foreign.id, other.groups["role:members"], 0]) {
        await refuses(org.owner, { [name]: { new: id } });
        const set = { direct_members: [org.member.id], direct_subgroups: [id] };
        await refuses(org.owner, { [name]: { new: set } });
      }
      for (const id of [gone.id, other.member.id, org.notificationBot.id, 0])
        await refuses(org.owner, {
          [name]: { new: { direct_members: [id], direct_subgroups: [] } },
        });
    });

    it("change together or not at all", async () => {
      const own = await organization(db);
      const params = {
        description: "Both or neither",
        can_manage_all_groups: { new: own.groups["role:moderators"] },
        can_create_groups: { new: { direct_members: [own.guest.id], direct_subgroups: [] } },
      };
      await refuses(own.owner, {
        ...params,
        can_summarize_topics_group: { new: own.groups["role:internet"] },
      });
      const { answer, events } = await change(own.owner, params);
      expect(answer).to.have.all.keys("description", "can_manage_all_groups", "can_create_groups");
      expect(events).to.have.length(1);
    });

    it("take the same number of statements for any number of people", async () => {
      const own = await organization(db);
      const set = (members: TestAccount[]) => ({
        [name]: { new: { direct_members: members.map(({ id }) => id), direct_subgroups: [] } },
      });
      const ask = (params: Params) => countQueries(db, () => change(own.owner, params));
      await ask(set([own.guest]));
      const few = await ask(set([own.member]));
      const crowd = [own.member, own.admin];
      for (let i = 0; i < 6; i++) crowd.push(await user(db, own.realm));
      const many = await ask(set(crowd));
      expect(ownStatements(many)).to.deep.equal(ownStatements(few));
    });
  });
});
