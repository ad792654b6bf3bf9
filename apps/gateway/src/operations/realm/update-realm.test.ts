import { updateRealm, type Permission, realmPermissions } from "@carillon/contract";
import {
  announced,
  bot,
  eventsOf,
  refused,
  organization,
  type Params,
  roles,
  realmChanging,
  realmUpdate,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

const rules = Object.entries<Permission>(realmPermissions);

describe("PATCH /realm", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const { change, refuses, shown } = realmChanging({ db, as: (account) => gateway.as(account) });
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });
  const stored = (realmId: number) => db.prisma.realm.findUniqueOrThrow({ where: { id: realmId } });

  describe("permissions", () => {
    for (const name of ["moderator", "member", "guest", "bot"] as const)
      it(`refuses a ${name}`, async () => {
        await refuses(org[name], { name: "Taken Over" }, "UNAUTHORIZED_PRINCIPAL");
        await refuses(org[name], {}, "UNAUTHORIZED_PRINCIPAL");
      });

    it("allows owners and administrators, including bots", async () => {
      const machine = await bot(db, org.owner, { role: roles.administrator });
      for (const by of [org.owner, org.admin, machine]) {
        const { answer } = await change(by, { name: `By ${by.id}` });
        expect(answer).to.deep.equal({ name: "updated" });
      }
      await refused(db, () => gateway.anonymous.call(updateRealm, { params: {} }), "UNAUTHORIZED");
    });

    for (const [, rule] of rules.filter(([, { ownersOnly }]) => ownersOnly))
      it(`requires an owner for ${rule.name}, whatever the value`, async () => {
        for (const id of [org.groups["role:moderators"], org.groups["role:owners"], 0])
          await refuses(org.admin, { [rule.name]: { new: id } }, "UNAUTHORIZED_PRINCIPAL");
        const value = org.groups["role:moderators"];
        const { answer } = await change(org.owner, { [rule.name]: { new: value } });
        expect(answer).to.deep.equal({ [rule.name]: value });
      });

    it("requires owners for exactly the properties that the specification lists", () => {
      const names = rules.filter(([, { ownersOnly }]) => ownersOnly).map(([, { name }]) => name);
      expect(names).to.have.members([
        "can_manage_all_groups",
        "can_create_groups",
        "can_invite_users_group",
        "create_multiuse_invite_group",
      ]);
    });
  });

  describe("properties", () => {
    it("are stored and sent in one event, consistent with the snapshot", async () => {
      const own = await organization(db);
      const params = {
        name: "  Bell Ringers ",
        description: "We *ring*",
        require_unique_names: true,
        name_changes_disabled: true,
        email_changes_disabled: false,
      };
      const { answer, events } = await change(own.admin, params);
      const data = {
        name: "Bell Ringers",
        description: "We *ring*",
        require_unique_names: true,
        name_changes_disabled: true,
      };
      expect(answer).to.deep.equal({ ...data, name: "updated", description: "updated" });
      expect(announced(events)).to.deep.equal([realmUpdate(data)]);
      const snapshot = await shown(own.guest);
      for (const [name, value] of Object.entries(data))
        expect(snapshot[`realm_${name}`], name).to.equal(value);
      const audit = await db.prisma.auditLog.findMany({
        where: { realmId: own.realm.id, eventType: "realm_setting_changed" },
        orderBy: { id: "asc" },
      });
      expect(audit.map(({ extraData }) => (extraData as Params)["setting"])).to.deep.equal(
        Object.keys(data),
      );
      expect(await change(own.admin, params)).to.deep.equal({ answer: {}, events: [] });
    });

    for (const params of [
      { name: "" },
      { name: "  " },
      { name: "x".repeat(41) },
      { name: "a\u0000b" },
      { description: "x".repeat(1_001) },
      { waiting_period_threshold: -1 },
      { waiting_period_threshold: 2_147_483_648 },
      { waiting_period_threshold: "soon" },
      { require_unique_names: 1 },
      { name_changes_disabled: "True" },
      { email_changes_disabled: "" },
    ])
      it(`refuses ${JSON.stringify(params).slice(0, 60)}`, () =>
        refuses(org.owner, { email_changes_disabled: true, ...params }));

    it("accept values as long as the columns", async () => {
      const own = await organization(db);
      await change(own.owner, { name: "🙂".repeat(40), description: "🙂".repeat(1_000) });
    });

    it("are reported if unknown", async () => {
      const { answer } = await change(org.owner, { colour: "green", enable_magic: true });
      expect(answer).to.deep.equal({ ignored_parameters_unsupported: ["colour", "enable_magic"] });
    });

    it("change one organization only", async () => {
      const before = await stored(other.realm.id);
      const { events } = await eventsOf(db, other.realm.id, () =>
        change(org.owner, { description: "Only ours" }),
      );
      expect(events).to.deep.equal([]);
      expect(await stored(other.realm.id)).to.deep.equal(before);
    });
  });
});
