import { roles } from "@carillon/contract";
import {
  channel,
  deactivateUser,
  eventsOf,
  type Gateway,
  organization,
  reload,
  signInAs,
  startGateway,
  type TestAccount,
  type TestOrganization,
  unique,
  useDatabase,
  user,
  userGroup,
  useScriptedProvider,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Roles and groups of the identity provider", () => {
  const db = useDatabase();
  const provider = useScriptedProvider();
  let org: TestOrganization;
  let gateway: Gateway;
  before(async () => {
    org = await organization(db);
    gateway = await startGateway(db, {
      site: {
        identityProvider: {
          ...provider.config,
          groupsClaim: "groups",
          roles: [
            { role: roles.administrator, value: "admins" },
            { role: roles.moderator, value: "mods" },
            { role: roles.guest, value: "externals" },
          ],
          groups: [
            { group: "engineering", value: "eng" },
            { group: "engineering", value: "ops" },
            { group: "design", value: "des" },
            { group: "nowhere", value: "eng" },
            { group: "closed", value: "eng" },
            { group: "role:owners", value: "eng" },
          ],
        },
      },
    });
  });
  after(() => gateway.close());

  const subjects = new Map<number, string>();
  const signIn = async (account: TestAccount, groups: unknown) => {
    const sub = subjects.get(account.id) ?? unique("subject");
    subjects.set(account.id, sub);
    const claims = { sub, email: account.deliveryEmail, email_verified: true, groups };
    const answer = await signInAs(gateway, provider, claims, {
      query: { mobile_flow_otp: "0".repeat(64) },
    });
    expect(answer.status, answer.text).to.equal(302);
  };
  const roleOf = async (account: TestAccount) => (await reload(db, account)).role;
  const groupsOf = async ({ id }: TestAccount) =>
    (
      await db.rows<{ name: string }>(
        `SELECT g.name FROM user_group_member m JOIN named_user_group g ON g.id = m.group_id
         WHERE m.user_id = $1 AND NOT g.is_system_group ORDER BY g.name`,
        [id],
      )
    ).map(({ name }) => name);

  it("give the most powerful role that matches, else that of a member, at each sign-in", async () => {
    const ann = await user(db, org.realm);
    for (const [groups, role] of [
      [["mods", "externals", "other"], roles.moderator],
      [["admins", "mods"], roles.administrator],
      ["externals", roles.guest],
      [["admins"], roles.administrator],
      [[], roles.member],
      [["ADMINS", " admins", "admins "], roles.member],
      [[1, null, ["admins"], { admins: true }], roles.member],
    ] as const) {
      await signIn(ann, groups);
      expect(await roleOf(ann), JSON.stringify(groups)).to.equal(role);
    }
  });

  it("change nothing without the claim, or with one that is neither a text nor a list", async () => {
    const ann = await user(db, org.realm, { role: roles.moderator });
    for (const groups of [undefined, null, 7, true, { admins: true }]) {
      await signIn(ann, groups);
      expect(await roleOf(ann)).to.equal(roles.moderator);
    }
  });

  it("neither make people owners nor change owners", async () => {
    await signIn(org.owner, ["externals"]);
    expect(await roleOf(org.owner)).to.equal(roles.owner);
    await signIn(org.owner, []);
    expect(await roleOf(org.owner)).to.equal(roles.owner);
  });

  it("announce a changed role to all users, once, with the bots that follow, and record it", async () => {
    const ann = await user(db, org.realm);
    const robot = await user(db, org.realm, { isBot: true, botOwnerId: ann.id });
    const { events } = await eventsOf(db, org.realm.id, () => signIn(ann, ["externals"]));
    const changed = events.filter(({ type }) => type === "realm_user");
    expect(JSON.stringify(changed)).to.include(`"user_id":${ann.id}`);
    expect(await roleOf(robot)).to.equal(roles.guest);
    const audit = await db.prisma.auditLog.findMany({
      where: { modifiedUserId: ann.id, eventType: "user_role_changed" },
    });
    expect(audit.map(({ actingUserId, extraData }) => [actingUserId, extraData])).to.deep.equal([
      [null, { old: roles.member, new: roles.guest }],
    ]);
    const { events: none } = await eventsOf(db, org.realm.id, () => signIn(ann, ["externals"]));
    expect(none).to.deep.equal([]);
  });

  it("add people to groups and remove them, and leave other groups as they are", async () => {
    const [engineering, design] = [
      await userGroup(db, org.realm, { name: "engineering" }),
      await userGroup(db, org.realm, { name: "design" }),
    ];
    const closed = await userGroup(db, org.realm, { name: "closed" });
    await db.rows("UPDATE named_user_group SET deactivated = true WHERE id = $1", [closed.id]);
    const own = await userGroup(db, org.realm, { name: "own" });
    const room = await channel(db, org.owner, { inviteOnly: true });
    await db.rows("UPDATE channels SET can_subscribe_group_id = $2 WHERE id = $1", [
      room.id,
      engineering.id,
    ]);
    const ann = await user(db, org.realm);
    await db.rows("INSERT INTO user_group_member (user_id, group_id) VALUES ($1, $2), ($1, $3)", [
      ann.id,
      own.id,
      design.id,
    ]);
    const { events } = await eventsOf(db, org.realm.id, () => signIn(ann, ["eng", "ops"]));
    expect(await groupsOf(ann)).to.deep.equal(["engineering", "own"]);
    const moves = events.filter(({ type }) => type === "user_group");
    expect(moves.map(({ op, payload }) => [op, payload])).to.deep.include.members([
      ["add_members", { group_id: engineering.id, user_ids: [ann.id] }],
      ["remove_members", { group_id: design.id, user_ids: [ann.id] }],
    ]);
    expect(events.map(({ type }) => type)).to.include("stream");
    await signIn(ann, ["ops"]);
    expect(await groupsOf(ann)).to.deep.equal(["engineering", "own"]);
    await signIn(ann, []);
    expect(await groupsOf(ann)).to.deep.equal(["own"]);
    const audit = await db.prisma.auditLog.findMany({
      where: { modifiedUserId: ann.id, eventType: { startsWith: "user_group_member" } },
      orderBy: { id: "asc" },
    });
    expect(audit.map(({ eventType }) => eventType)).to.deep.equal([
      "user_group_member_added",
      "user_group_member_removed",
      "user_group_member_removed",
    ]);
  });

  it("are given once by two sign-ins at once", async () => {
    const ann = await user(db, org.realm);
    await signIn(ann, []);
    await Promise.all([signIn(ann, ["eng", "mods"]), signIn(ann, ["eng", "mods"])]);
    expect(await roleOf(ann)).to.equal(roles.moderator);
    expect(await groupsOf(ann)).to.include("engineering");
  });

  it("are not given to a deactivated account", async () => {
    const ann = await user(db, org.realm);
    await signIn(ann, []);
    await deactivateUser(db, ann);
    const claims = { sub: subjects.get(ann.id), groups: ["admins"] };
    const answer = await signInAs(gateway, provider, claims);
    expect(answer.text).to.include("deactivated");
    expect(await roleOf(ann)).to.equal(roles.member);
  });
});
