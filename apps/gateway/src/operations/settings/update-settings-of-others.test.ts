import {
  getSettings,
  personalSettings,
  updateSettings,
  type PersonalSetting,
} from "@carillon/contract";
import { lockGroupGraph } from "@carillon/model";
import {
  announced,
  bot,
  countQueries,
  countWaiting,
  crowd,
  eventsOf,
  organization,
  type Params,
  type Refusable,
  refused,
  refusedWith,
  roles,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
  waitFor,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const declared = Object.entries<PersonalSetting>(personalSettings);

describe("PATCH /settings: target_users", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const ask = (by: TestAccount, target_users: unknown, params: Params = { enter_sends: true }) =>
    gateway.as(by).call(updateSettings, { params: { ...params, target_users } });
  const change = async (target_users: Params, params?: Params, by = org.admin) => {
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      ask(by, target_users, params),
    );
    expect(result.body, result.body.msg).to.deep.equal({ result: "success", msg: "" });
    return announced(events);
  };
  const received = (
    property: string,
    value: unknown,
    audience: readonly TestAccount[],
    more: Params = {},
  ) => ({
    type: "user_settings",
    op: "update",
    payload: { property, value, ...more },
    audience: audience.map(({ id }) => id),
  });
  const settingsOf = async (of: TestAccount): Promise<Params> =>
    (await gateway.as(of).succeed(getSettings)).user_settings;
  const refuses = async (target_users: unknown, params?: Params, by = org.admin) =>
    (await refused(db, () => ask(by, target_users, params), "BAD_REQUEST")).msg;

  it("changes the settings of the named people, with events for each of them alone", async () => {
    const { member, guest, moderator } = org;
    const gone = await user(db, org.realm, { isActive: false });
    const user_ids = [member.id, guest.id, gone.id];
    const params = { enter_sends: true, translate_emoticons: true, default_language: "de" };
    await gateway.as(guest).succeed(updateSettings, { params: { translate_emoticons: true } });
    expect(await change({ user_ids }, params)).to.deep.equal([
      received("default_language", "de", [member, guest, gone], { language_name: "German" }),
      received("enter_sends", true, [member, guest, gone]),
      received("translate_emoticons", true, [member, gone]),
    ]);
    for (const account of [member, guest]) expect(await settingsOf(account)).to.include(params);
    expect(await settingsOf(moderator)).to.include({ enter_sends: false, default_language: "en" });
    expect(await settingsOf(org.admin)).to.include({ enter_sends: false });
    expect(await change({ user_ids }, params)).to.deep.equal([]);
    expect(await change({ user_ids }, {})).to.deep.equal([]);
    const audit = await db.prisma.auditLog.findMany({
      where: { realmId: org.realm.id, eventType: "user_settings_changed" },
      orderBy: { id: "asc" },
    });
    expect(audit.map(({ actingUserId, extraData }) => [actingUserId, extraData])).to.deep.equal([
      [org.admin.id, { setting: "default_language", new: "de", users: 3 }],
      [org.admin.id, { setting: "enter_sends", new: true, users: 3 }],
      [org.admin.id, { setting: "translate_emoticons", new: true, users: 2 }],
    ]);
  });

  it("sends events to clients of these people only", async () => {
    const queues = { member: { account: org.member }, admin: { account: org.admin } };
    const seen = await watch(gateway, queues, () => change({ user_ids: [org.member.id] }));
    const [event, ...more] = seen.member;
    expect(event).to.deep.include({ type: "user_settings", property: "enter_sends", value: true });
    expect([more, seen.admin]).to.deep.equal([[], []]);
  });

  it("includes members of groups and subgroups, and skips bots", async () => {
    const inner = await userGroup(db, org.realm, { members: [org.guest, org.bot] });
    const outer = await userGroup(db, org.realm, { members: [org.member], subgroups: [inner.id] });
    const target = { user_ids: [org.moderator.id, org.bot.id], group_ids: [outer.id] };
    expect(await change(target)).to.deep.equal([
      received("enter_sends", true, [org.moderator, org.member, org.guest]),
    ]);
    const everyone = { group_ids: [org.groups["role:everyone"]] };
    expect(await change(everyone)).to.deep.equal([
      received("enter_sends", true, [org.owner, org.admin]),
    ]);
  });

  it("deletes the drafts of people whose drafts are turned off, without events", async () => {
    for (const account of [org.member, org.guest])
      await db.prisma.draft.create({
        data: {
          userId: account.id,
          kind: "",
          to: [],
          topic: "",
          content: "x",
          lastEditTime: new Date(),
        },
      });
    const events = await change(
      { user_ids: [org.member.id] },
      { enable_drafts_synchronization: false },
    );
    expect(events).to.have.length(1);
    const left = await db.prisma.draft.findMany({ select: { userId: true } });
    expect(left).to.deep.equal([{ userId: org.guest.id }]);
  });

  it("keeps settings that people have changed themselves, on request", async () => {
    const { member, guest } = org;
    const own = (of: TestAccount, params: Params) =>
      gateway.as(of).succeed(updateSettings, { params });
    await own(member, { color_scheme: 2 });
    await own(member, { color_scheme: 1 });
    // An unchanged value does not count as a change.
    await own(guest, { color_scheme: 1 });
    const target = { user_ids: [member.id, guest.id], skip_if_already_edited: true };
    expect(await change(target, { color_scheme: 3, enter_sends: true })).to.deep.equal([
      received("color_scheme", 3, [guest]),
      received("enter_sends", true, [member, guest]),
    ]);
    // An administrator's change does not count as the person's own.
    expect(await change(target, { color_scheme: 2 })).to.deep.equal([
      received("color_scheme", 2, [guest]),
    ]);
    const all = { ...target, skip_if_already_edited: false };
    expect(await change(all, { color_scheme: 3 })).to.deep.equal([
      received("color_scheme", 3, [member, guest]),
    ]);
  });

  it("requires an administrator, and refuses bots", async () => {
    const target = { user_ids: [org.member.id] };
    for (const by of [org.moderator, org.member, org.guest]) {
      await refused(db, () => ask(by, target), "UNAUTHORIZED_PRINCIPAL");
      await refused(db, () => ask(by, target, { full_name: "x" }), "UNAUTHORIZED_PRINCIPAL");
    }
    const robot = await bot(db, org.admin, { role: roles.administrator });
    await refuses(target, { enter_sends: true }, robot);
  });

  it("refuses the whole request if it contains personal properties", async () => {
    const target = { user_ids: [org.member.id] };
    const own = declared.filter(([, setting]) => setting.private).map(([name]) => name);
    expect(own).to.have.members([
      "email_address_visibility",
      "allow_private_data_export",
      "enable_digest_emails",
      "enable_login_emails",
      "enable_marketing_emails",
      "presence_enabled",
      "send_private_typing_notifications",
      "send_stream_typing_notifications",
      "send_read_receipts",
    ]);
    for (const name of own) {
      const value = name === "email_address_visibility" ? 2 : false;
      expect(await refuses(target, { enter_sends: true, [name]: value })).to.include(name);
    }
    for (const name of ["full_name", "email", "old_password", "new_password", "timezone"])
      await refuses(target, { enter_sends: true, [name]: "x" });
    await refuses(target, { enter_sends: true, default_language: "!" });
  });

  it("refuses unknown people and groups with the same error", async () => {
    const there = await organization(db);
    const gone = await userGroup(db, org.realm, { members: [org.member], deactivated: true });
    const words = new Set<string | undefined>();
    for (const id of [there.member.id, org.notificationBot.id, 0, -1, 10 ** 12])
      words.add(await refuses({ user_ids: [org.member.id, id] }));
    expect([...words]).to.have.length(1);
    const ofGroups = new Set<string | undefined>();
    for (const id of [there.groups["role:members"], gone.id, 0, 10 ** 12])
      ofGroups.add(await refuses({ user_ids: [org.member.id], group_ids: [id] }));
    expect([...ofGroups]).to.have.length(1);
  });

  it("refuses empty and malformed targets", async () => {
    for (const unusable of [
      {},
      { user_ids: [], group_ids: [] },
      { skip_if_already_edited: true },
      { user_ids: `${org.member.id}` },
      { user_ids: [`${org.member.id}`] },
      { user_ids: [1.5] },
      { user_ids: [org.member.id], skip_if_already_edited: 1 },
      { user_ids: Array.from({ length: 10_001 }, () => org.member.id) },
      "[]",
      "null",
      "x",
      "",
    ])
      await refuses(unusable);
  });

  it("refuses more changes than one request may make", async () => {
    await crowd(db, org.member, 500);
    const others = declared.flatMap(([name, { initial, private: own }]) =>
      typeof initial === "boolean" && !own ? [[name, !initial]] : [],
    );
    const target = { group_ids: [org.groups["role:everyone"]] };
    const many = Object.fromEntries(others.slice(0, 20)) as Params;
    expect(await refuses(target, many)).to.include("10000");
  });

  it("runs the same number of statements for any number of people and settings", async () => {
    const count = async (ids: readonly number[], params: Params) =>
      (await countQueries(db, () => ask(org.admin, { user_ids: ids }, params))).count;
    const one = await count([org.member.id], { enter_sends: true });
    const people = await crowd(db, org.member, 100);
    const many = { high_contrast_mode: true, translate_emoticons: true, color_scheme: 2 };
    expect(
      await count(
        people.map(({ id }) => id),
        many,
      ),
    ).to.equal(one);
  });

  it("is refused if the caller has lost the administrator role while waiting", async () => {
    const by = await user(db, org.realm, { role: roles.administrator });
    let answer: Promise<Refusable> | undefined;
    await db.transaction(async (tx) => {
      await lockGroupGraph(tx, org.realm.id);
      answer = ask(by, { user_ids: [org.member.id] });
      await waitFor(async () => (await countWaiting(db.pool)) === 1, {
        what: "the request waits for the change of the account",
      });
      await (await tx.prisma()).user.update({ where: { id: by.id }, data: { role: roles.member } });
    });
    if (!answer) throw new Error("nothing was asked");
    refusedWith(await answer, "UNAUTHORIZED_PRINCIPAL");
    expect(await settingsOf(org.member)).to.include({ enter_sends: false });
  });

  it("applies concurrent changes of the administrator and of a target", async () => {
    const everybody = { group_ids: [org.groups["role:everyone"]] };
    const own = { params: { color_scheme: 2 } };
    await Promise.all([
      change(everybody, { enter_sends: true }),
      gateway.as(org.member).succeed(updateSettings, own),
      ask(org.owner, everybody, { high_contrast_mode: true }),
    ]);
    expect(await settingsOf(org.member)).to.include({
      enter_sends: true,
      color_scheme: 2,
      high_contrast_mode: true,
    });
  });
});
