import {
  register,
  updateRealm,
  type RealmPermission,
  type Permission,
  realmPermissions,
} from "@carillon/contract";
import { loadRealm } from "@carillon/model";
import {
  announced,
  anonymousGroup,
  bot,
  changeOrganization,
  channel,
  countQueries,
  eventsOf,
  refused,
  type LoggedEvent,
  organization,
  type QueryCount,
  roles,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = Readonly<Record<string, unknown>>;
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

/** Without the wake-ups, which go out after the answer, perhaps. */
const ownStatements = ({ statements }: QueryCount<unknown>) =>
  statements.filter((text) => !text.includes("pg_notify"));

describe("PATCH /realm", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
  });

  const patch = (by: TestAccount, params: Params) => gateway.as(by).call(updateRealm, { params });
  const stored = (realmId: number) => db.prisma.realm.findUniqueOrThrow({ where: { id: realmId } });
  const change = async (by: TestAccount, params: Params) => {
    const { result, events } = await eventsOf(db, by.realmId, () => patch(by, params));
    expect(result.body.result, result.body.msg).to.equal("success");
    const answer: Record<string, unknown> = { ...result.body };
    delete answer["result"];
    delete answer["msg"];
    return { answer, events };
  };
  const refuses = (by: TestAccount, params: Params, code?: string, fields?: Params) =>
    refused(db, () => patch(by, params), code, fields);
  const shown = async (by: TestAccount) => {
    const params = { fetch_event_types: ["realm"] };
    const snapshot: Record<string, unknown> = {
      ...(await gateway.as(by).succeed(register, { params })),
    };
    delete snapshot["queue_id"];
    delete snapshot["last_event_id"];
    return snapshot;
  };
  /** A snapshot as a client keeps it, by nothing but events. */
  const kept = (snapshot: Params, events: readonly LoggedEvent[]) => {
    const now = { ...snapshot };
    for (const { type, op, payload } of events) {
      if (type !== "realm") continue;
      const { property, value, data } = payload;
      const changed = op === "update" ? [[property, value]] : Object.entries(data as Params);
      for (const [name, to] of changed) now[`realm_${String(name)}`] = to;
    }
    return now;
  };
  const updated = (data: object) => ({
    type: "realm",
    op: "update_dict",
    payload: { property: "default", data },
    audience: null,
  });

  describe("who may", () => {
    for (const name of ["moderator", "member", "guest", "bot"] as const)
      it(`refuses a ${name}`, async () => {
        await refuses(org[name], { name: "Taken Over" }, "UNAUTHORIZED_PRINCIPAL");
        await refuses(org[name], {}, "UNAUTHORIZED_PRINCIPAL");
      });

    it("lets owners and administrators, also bots", async () => {
      const machine = await bot(db, org.owner, { role: roles.administrator });
      for (const by of [org.owner, org.admin, machine]) {
        const { answer } = await change(by, { name: `By ${by.id}` });
        expect(answer).to.deep.equal({ name: "updated" });
      }
      await refused(db, () => gateway.anonymous.call(updateRealm, { params: {} }), "UNAUTHORIZED");
    });

    for (const [, rule] of rules.filter(([, { ownersOnly }]) => ownersOnly))
      it(`leaves ${rule.name} to owners, whatever the value`, async () => {
        for (const id of [org.groups["role:moderators"], org.groups["role:owners"], 0])
          await refuses(org.admin, { [rule.name]: { new: id } }, "UNAUTHORIZED_PRINCIPAL");
        const value = org.groups["role:moderators"];
        const { answer } = await change(org.owner, { [rule.name]: { new: value } });
        expect(answer).to.deep.equal({ [rule.name]: value });
      });

    it("leaves those of which the specification says so, and no others", () => {
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
    it("are stored and told in one event, which the snapshot agrees with", async () => {
      const own = await organization(db);
      const params = {
        name: "  Bell Ringers ",
        description: "We *ring*",
        waiting_period_threshold: 0,
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
      expect(announced(events)).to.deep.equal([updated(data)]);
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

    it("may be as long as the columns", async () => {
      const own = await organization(db);
      await change(own.owner, { name: "🙂".repeat(40), description: "🙂".repeat(1_000) });
    });

    it("that do not exist are reported", async () => {
      const { answer } = await change(org.owner, { colour: "green", enable_magic: true });
      expect(answer).to.deep.equal({ ignored_parameters_unsupported: ["colour", "enable_magic"] });
    });

    it("belong to one organization", async () => {
      const before = await stored(other.realm.id);
      const { events } = await eventsOf(db, other.realm.id, () =>
        change(org.owner, { description: "Only ours" }),
      );
      expect(events).to.deep.equal([]);
      expect(await stored(other.realm.id)).to.deep.equal(before);
    });
  });

  describe("permissions", () => {
    for (const [key, rule] of rules)
      it(`${rule.name} takes the system groups that it may have, and no others`, async () => {
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
          expect(announced(events)[0]).to.deep.equal(updated({ [rule.name]: own[name] }));
          expect(kept(before, events), name).to.deep.equal(await shown(org.guest));
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
            expect(kept(before, events)).to.deep.equal(await shown(org.guest));
          }
        const now = await shown(org.guest);
        if (!rule.requireSystemGroup) expect(now[`realm_${rule.name}`]).to.deep.equal(set);
      });

    it("are told to older clients by their numbers, those that change and no others", async () => {
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
      // A set has no number of its own: it counts as the administrators, whose numbers these are.
      expect(await numbers(own.groups["role:administrators"])).to.have.length(3);
      const set = { direct_members: [own.member.id], direct_subgroups: [] };
      expect(await numbers(set)).to.deep.equal([]);
    });

    const name = "can_add_subscribers_group";

    it("may be sets, which are stored once and changed in place", async () => {
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

    it("are canonical: one group alone is that group, an empty set is nobody", async () => {
      const own = await organization(db);
      const set = (direct_subgroups: number[]) => ({ direct_members: [], direct_subgroups });
      const moderators = own.groups["role:moderators"];
      const one = await change(own.owner, { [name]: { new: set([moderators, moderators]) } });
      expect(one.answer).to.deep.equal({ [name]: moderators });
      const none = await change(own.owner, { [name]: { new: set([]), old: set([moderators]) } });
      expect(none.answer).to.deep.equal({ [name]: own.groups["role:nobody"] });
      await refuses(own.owner, { [name]: { new: set([own.groups["role:everyone"]]) } });
    });

    it("are only changed from what is expected, before anything else is looked at", async () => {
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

    it("go to one of several who expect the same", async () => {
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
      it(`are not ${JSON.stringify(value)}`, () => refuses(org.owner, { [name]: value }));

    it("do not take strangers, unknown, deactivated or anonymous ones", async () => {
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

    it("take as many statements however many people there are", async () => {
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

  describe("waiting_period_threshold", () => {
    it("makes full members and unmakes them, at once", async () => {
      const own = await organization(db);
      const full = own.groups["role:fullmembers"];
      const old = await user(db, own.realm);
      const away = await user(db, own.realm, { isActive: false });
      await db.rows(
        "UPDATE users SET date_joined = now() - interval '10 days' - interval '1 hour' WHERE id = ANY($1::int[])",
        [[old.id, away.id]],
      );
      const inFull = async () => {
        const rows = await db.prisma.userGroupMember.findMany({
          where: { groupId: full },
          orderBy: { userId: "asc" },
        });
        return rows.map(({ userId }) => userId);
      };
      const everybody = [own.member.id, own.bot.id, old.id, away.id].sort((a, b) => a - b);
      expect(await inFull()).to.deep.equal(everybody);
      const moved = (op: string, ids: number[]) => ({
        type: "user_group",
        op,
        payload: { group_id: full, user_ids: ids.sort((a, b) => a - b) },
        audience: null,
      });
      const set = async (waiting_period_threshold: number) => {
        const { answer, events } = await change(own.admin, { waiting_period_threshold });
        expect(answer).to.deep.equal({ waiting_period_threshold });
        return announced(events);
      };
      expect(await set(10)).to.deep.equal([
        updated({ waiting_period_threshold: 10 }),
        moved("remove_members", [own.member.id, own.bot.id]),
      ]);
      expect(await inFull()).to.deep.equal([old.id, away.id].sort((a, b) => a - b));
      expect(await set(11)).to.deep.equal([
        updated({ waiting_period_threshold: 11 }),
        moved("remove_members", [old.id]),
      ]);
      expect(await inFull()).to.deep.equal([]);
      expect(await set(0)).to.deep.equal([
        updated({ waiting_period_threshold: 0 }),
        moved("add_members", [own.member.id, own.bot.id, old.id]),
      ]);
      expect(await inFull()).to.deep.equal(everybody);
    });

    it("shows and hides the private channels that full members see", async () => {
      const own = await organization(db);
      const secret = await channel(db, own.realm, {
        inviteOnly: true,
        groups: { canSubscribeGroupId: own.groups["role:fullmembers"] },
        subscribers: [own.moderator],
      });
      const set = async (waiting_period_threshold: number) => {
        const { events } = await change(own.admin, { waiting_period_threshold });
        return announced(events).slice(2);
      };
      const audience = [own.member.id, own.bot.id].sort((a, b) => a - b);
      const gone = { stream_ids: [secret.id], streams: [{ stream_id: secret.id }] };
      expect(await set(5)).to.deep.equal([
        { type: "stream", op: "delete", payload: gone, audience },
      ]);
      const [created, peers, ...none] = await set(0);
      expect(none).to.deep.equal([]);
      expect(created).to.deep.include({ type: "stream", op: "create", audience });
      expect(peers).to.deep.equal({
        type: "subscription",
        op: "peer_add",
        payload: { stream_ids: [secret.id], user_ids: [own.moderator.id] },
        audience,
      });
    });
  });
});
