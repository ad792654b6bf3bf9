import { channelPermissions } from "@carillon/contract";
import {
  changeOrganization,
  channel,
  organization,
  patchChannel,
  patchedChannel,
  refused,
  send,
  toChannel,
  user,
  userGroup,
  useScene,
  type ChannelOverrides,
  type ChannelPatch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §5, §13
describe("PATCH /streams/{stream_id}: refusals", () => {
  const scene = useScene();
  const room = (overrides?: ChannelOverrides) => channel(scene.db, scene.org.member, overrides);
  const refuses = (
    id: number,
    params: ChannelPatch,
    code?: string,
    by?: TestAccount,
    { fields = {}, status = 400 }: { fields?: Record<string, unknown>; status?: number } = {},
  ) => refused(scene.db, () => patchChannel(scene, id, params, by), code, fields, status);
  const withRealm = async (
    row: Parameters<typeof changeOrganization>[2],
    work: () => Promise<unknown>,
  ) => {
    const { db, org } = scene;
    const current = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    await changeOrganization(db, org.realm, row);
    try {
      await work();
    } finally {
      const old = Object.keys(row).map((name) => [name, Reflect.get(current, name)]);
      await changeOrganization(db, org.realm, Object.fromEntries(old));
    }
  };

  describe("parameters", () => {
    const bad: ReadonlyArray<readonly [name: string, value: unknown]> = [
      ["description", "x".repeat(1_025)],
      ["description", "🙂".repeat(1_025)],
      ["description", "a\u0000b"],
      ["new_name", ""],
      ["new_name", " \t "],
      ["new_name", "x".repeat(61)],
      ["new_name", "a\u0000b"],
      ["new_name", "a\u0007b"],
      ["new_name", "a\nb"],
      ["new_name", "a\uffffb"],
      ["is_private", "yes"],
      ["is_private", 1],
      ["is_web_public", "True"],
      ["history_public_to_subscribers", null],
      ["is_default_stream", "on"],
      ["is_archived", "no"],
      ["message_retention_days", 0],
      ["message_retention_days", -1],
      ["message_retention_days", 1.5],
      ["message_retention_days", "forever"],
      ["message_retention_days", 99_999_999_999],
      ["message_retention_days", null],
      ["folder_id", "seven"],
      ["folder_id", 1.5],
      ["folder_id", [1]],
      ["folder_id", true],
      ["folder_id", 0],
      ["folder_id", -5],
      ["folder_id", 2 ** 40],
      ["topics_policy", "no_topics"],
      ["topics_policy", null],
      ["can_send_message_group", 7],
      ["can_send_message_group", "role:everyone"],
      ["can_send_message_group", { old: 1 }],
      ["can_send_message_group", { new: "role:everyone" }],
      ["can_send_message_group", { new: { direct_members: [] } }],
      ["can_send_message_group", { new: null }],
      ["can_send_message_group", { new: 2 ** 31 }],
    ];
    let id: number;
    before(async () => {
      ({ id } = await room({ subscribers: [scene.org.owner] }));
    });
    for (const [name, value] of bad)
      it(`${name} = ${JSON.stringify(value).slice(0, 40)}`, () =>
        refuses(id, { [name]: value }, "BAD_REQUEST", scene.org.owner));

    it("an anonymous group with too many members", async () => {
      const direct_members = Array.from({ length: 10_001 }, (_, i) => i + 1);
      const value = { new: { direct_members, direct_subgroups: [] } };
      await refuses(id, { can_send_message_group: value });
    });
  });

  describe("channels", () => {
    it("that are unknown, of another organization, or hidden, with the same error", async () => {
      const other = await organization(scene.db);
      const foreign = await channel(scene.db, other.owner);
      const hidden = await room({ inviteOnly: true });
      const change = { description: "x" };
      const { moderator, guest, admin } = scene.org;
      const open = await room();
      const answers = [
        await refuses(hidden.id, change, "BAD_REQUEST", moderator),
        await refuses(open.id, change, "BAD_REQUEST", guest),
        await refuses(foreign.id, change, "BAD_REQUEST", admin),
        await refuses(0, change, "BAD_REQUEST", admin),
        await refuses(2 ** 31 - 1, change, "BAD_REQUEST", admin),
      ];
      for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
      const patch = (id: string) => scene.as(admin).patch(`/api/v1/streams/${id}`, change);
      await refused(scene.db, () => patch("99999999999"));
      await refused(scene.db, () => patch("x"), "NOT_FOUND", {});
    });

    it("that the caller reads but does not administer, including archived ones", async () => {
      const { member, moderator, guest, realm } = scene.org;
      const stranger = await user(scene.db, realm);
      const holder = await user(scene.db, realm);
      const readers = await userGroup(scene.db, realm, { members: [holder] });
      const hidden = await room({
        inviteOnly: true,
        subscribers: [guest, stranger],
        groups: { canSubscribeGroupId: readers.id },
      });
      for (const by of [guest, stranger, holder])
        await refuses(hidden.id, { description: "x" }, "CANNOT_ADMINISTER_CHANNEL", by);
      const archived = await channel(scene.db, member, { isArchived: true });
      await refuses(archived.id, {}, "CANNOT_ADMINISTER_CHANNEL", moderator);
      await refuses(archived.id, {}, "BAD_REQUEST", guest);
    });
  });

  describe("a privacy", () => {
    const everybody = { enableSpectatorAccess: true };

    it("that contradicts itself", async () => {
      const { owner } = scene.org;
      const open = await room({ subscribers: [owner] });
      const web = await room({ isWebPublic: true, subscribers: [owner] });
      const closed = await room({ inviteOnly: true, subscribers: [owner] });
      const favourite = await room({ isDefault: true, subscribers: [owner] });
      await withRealm(everybody, async () => {
        const cases: Array<readonly [number, ChannelPatch]> = [
          [web.id, { history_public_to_subscribers: false }],
          [web.id, { is_private: true }],
          [web.id, { is_private: true, history_public_to_subscribers: true }],
          [closed.id, { is_web_public: true }],
          [closed.id, { is_web_public: true, history_public_to_subscribers: true }],
          [closed.id, { is_private: false, history_public_to_subscribers: false }],
          [open.id, { history_public_to_subscribers: false }],
          [open.id, { is_web_public: true, history_public_to_subscribers: false }],
          [open.id, { is_private: true, is_web_public: true }],
          [open.id, { is_private: true, is_default_stream: true }],
          [favourite.id, { is_private: true }],
          [closed.id, { is_default_stream: true }],
        ];
        for (const [id, params] of cases) await refuses(id, params, "BAD_REQUEST", owner);
      });
    });

    it("from a caller who cannot read the channel", async () => {
      const { admin, owner } = scene.org;
      const { id } = await room({ inviteOnly: true });
      for (const by of [admin, owner])
        for (const is_private of [true, false])
          await refuses(id, { is_private }, "BAD_REQUEST", by);
    });

    it("from a caller who may not create such channels", async () => {
      const { groups, member } = scene.org;
      const open = await room({ subscribers: [member] });
      const closed = await room({ inviteOnly: true, subscribers: [member] });
      const nobody = groups["role:nobody"];
      await withRealm({ canCreatePrivateChannelGroupId: nobody }, async () => {
        await refuses(open.id, { is_private: true }, "BAD_REQUEST", member);
        await refuses(closed.id, { is_private: true }, "BAD_REQUEST", member);
      });
      await withRealm({ canCreatePublicChannelGroupId: nobody }, async () => {
        await refuses(closed.id, { is_private: false }, "BAD_REQUEST", member);
        await refuses(open.id, { is_private: false }, "BAD_REQUEST", member);
      });
      await patchedChannel(scene, closed, { is_private: false }, member);
    });

    it("that is web-public if disabled, or from a caller who may not create web-public channels", async () => {
      const { owner, admin } = scene.org;
      const { id } = await room();
      await refuses(id, { is_web_public: true }, "BAD_REQUEST", owner);
      await withRealm(everybody, async () => {
        await refuses(id, { is_web_public: true }, "BAD_REQUEST", admin);
        await patchedChannel(scene, id, { is_web_public: true }, owner);
        await refuses(id, { is_web_public: true }, "BAD_REQUEST", admin);
        await patchedChannel(scene, id, { is_web_public: false }, admin);
      });
    });

    it("with protected history and restricted topic creation", async () => {
      const { groups, admin, member } = scene.org;
      const fields = { parameters: "history_public_to_subscribers, can_create_topic_group" };
      const few = { canCreateTopicGroupId: groups["role:members"] };
      const inOpen = await room({ groups: few, subscribers: [admin] });
      const inShared = await room({
        inviteOnly: true,
        historyPublicToSubscribers: true,
        groups: few,
        subscribers: [admin],
      });
      const closed = await room({ inviteOnly: true, subscribers: [admin] });
      const everyone = { new: groups["role:everyone"] };
      const members = { new: groups["role:members"] };
      const onlyMember = { new: { direct_members: [member.id], direct_subgroups: [] } };
      const cases: Array<readonly [number, ChannelPatch]> = [
        [inOpen.id, { is_private: true }],
        [inShared.id, { is_private: true }],
        [inShared.id, { history_public_to_subscribers: false }],
        [closed.id, { can_create_topic_group: members }],
        [closed.id, { can_create_topic_group: onlyMember }],
        [inOpen.id, { is_private: true, can_create_topic_group: members }],
      ];
      for (const [id, params] of cases) await refuses(id, params, "BAD_REQUEST", admin, { fields });
      const same = { direct_members: [], direct_subgroups: [groups["role:everyone"]] };
      await patchedChannel(scene, closed, { can_create_topic_group: { new: same } });
      await patchedChannel(scene, inOpen, { is_private: true, can_create_topic_group: everyone });
      const shared = { history_public_to_subscribers: true, can_create_topic_group: members };
      await patchedChannel(scene, closed, shared);
    });
  });

  describe("properties that require another role", () => {
    it("is_default_stream from callers other than administrators", async () => {
      const { id } = await room();
      for (const is_default_stream of [true, false])
        await refuses(id, { is_default_stream }, "UNAUTHORIZED_PRINCIPAL", scene.org.member);
    });

    it("message_retention_days from callers other than owners, whatever the value", async () => {
      const { id } = await room();
      const { admin, member } = scene.org;
      for (const message_retention_days of [3, "unlimited", "realm_default"])
        for (const by of [admin, member])
          await refuses(id, { message_retention_days }, "UNAUTHORIZED_PRINCIPAL", by);
    });

    it("topics_policy from a caller who may not set one", async () => {
      const { groups, member, admin } = scene.org;
      const { id } = await room();
      await withRealm({ canSetTopicsPolicyGroupId: groups["role:nobody"] }, async () => {
        for (const topics_policy of ["inherit", "allow_empty_topic"])
          await refuses(id, { topics_policy }, "BAD_REQUEST", member);
        await patchedChannel(scene, id, { topics_policy: "allow_empty_topic" }, admin);
      });
      await patchedChannel(scene, id, { topics_policy: "inherit" }, member);
    });
  });

  it("empty_topic_only while a message has a topic, including notices", async () => {
    const { db, org } = scene;
    const only = { topics_policy: "empty_topic_only" };
    const talked = await room({ subscribers: [org.member] });
    await send(scene.as(org.member), toChannel(talked.id, { topic: "" }));
    await patchedChannel(scene, talked, only);
    await patchedChannel(scene, talked, { topics_policy: "inherit" });
    await refuses(talked.id, only);
    const received = await room();
    await patchedChannel(scene, received, { description: "so" });
    await refuses(received.id, only);
    const wrote = await room({ subscribers: [org.member] });
    const id = await send(scene.as(org.member), toChannel(wrote.id, { topic: "rope" }));
    await refuses(wrote.id, only);
    await db.rows("UPDATE messages SET topic = '' WHERE id = $1", [id]);
    await patchedChannel(scene, wrote, only);
  });

  it("unarchiving an active channel or one that cannot be restored; archiving is ignored", async () => {
    const { id } = await room({ subscribers: [scene.org.admin] });
    await refuses(id, { is_archived: false });
    expect((await patchedChannel(scene, id, { is_archived: true })).is_archived).to.equal(false);
    const empty = await room({ inviteOnly: true, isArchived: true });
    await refuses(empty.id, { is_archived: false });
    const open = await room({ isArchived: true, subscribers: [] });
    await refuses(open.id, { is_archived: false, is_private: true });
    await refuses(open.id, { is_archived: false, folder_id: 2 ** 31 - 1 });
    await patchedChannel(scene, open, { is_archived: false });
    await refuses(open.id, { is_archived: false });
  });

  it("an archived channel as a default channel", async () => {
    const { id } = await room({ isArchived: true });
    await refuses(id, { is_default_stream: true });
    await refuses(id, { is_default_stream: true, is_archived: true });
    await patchedChannel(scene, id, { is_default_stream: false });
  });

  describe("names", () => {
    it("that the channel already has", async () => {
      const { id, name } = await room();
      await refuses(id, { new_name: name });
      await refuses(id, { new_name: `  ${name} `, description: "else" });
    });

    it("that another channel has in any case, including archived and invisible channels", async () => {
      const { id } = await room();
      await room({ name: "Taken", isArchived: true });
      await room({ name: "HIDDEN Ä", inviteOnly: true });
      for (const new_name of ["taken", "TAKEN", "hidden ä"])
        await refuses(id, { new_name }, "CHANNEL_ALREADY_EXISTS", scene.org.member, {
          status: 409,
        });
    });
  });

  it("folders that are unknown or of another organization", async () => {
    const other = await organization(scene.db);
    const { id: folder } = await scene.db.prisma.channelFolder.create({
      data: { realmId: other.realm.id, name: "Theirs" },
    });
    const { id } = await room();
    for (const folder_id of [folder, 2 ** 31 - 1]) await refuses(id, { folder_id });
  });

  describe("permissions", () => {
    it("whose expected old value is wrong, whatever the new value", async () => {
      const { groups } = scene.org;
      const { id } = await room({ subscribers: [scene.org.admin] });
      const fields = { field_name: "old" };
      const old = groups["role:nobody"];
      for (const value of [groups["role:everyone"], groups["role:members"], 2 ** 31 - 1])
        await refuses(
          id,
          { can_send_message_group: { new: value, old }, description: "not this either" },
          "EXPECTATION_MISMATCH",
          undefined,
          { fields },
        );
    });

    it("to groups that are unknown, deactivated, of another organization or anonymous", async () => {
      const { db, org } = scene;
      const other = await organization(db);
      const gone = await userGroup(db, org.realm, { deactivated: true });
      const { id, canAdministerChannelGroupId: anonymous } = await room();
      const foreign = other.groups["role:members"];
      for (const value of [2 ** 31 - 1, gone.id, foreign, anonymous])
        for (const form of [value, { direct_members: [org.member.id], direct_subgroups: [value] }])
          await refuses(id, { can_send_message_group: { new: form } });
    });

    it("to members who are unknown, deactivated or of another organization", async () => {
      const { db, org } = scene;
      const gone = await user(db, org.realm, { isActive: false });
      const other = await organization(db);
      const { id } = await room();
      for (const member of [gone.id, other.owner.id, org.notificationBot.id, 2 ** 31 - 1]) {
        const set = { direct_members: [org.member.id, member], direct_subgroups: [] };
        await refuses(id, { can_remove_subscribers_group: { new: set } });
      }
    });

    it("to role:internet, and to role:everyone if guests are not allowed", async () => {
      const { groups, owner } = scene.org;
      const { id } = await room({ subscribers: [owner] });
      for (const permission of Object.values(channelPermissions)) {
        const { name } = permission;
        await refuses(id, { [name]: { new: groups["role:internet"] } }, "BAD_REQUEST", owner);
        const everyone = { [name]: { new: groups["role:everyone"] } };
        if (!permission.allowEveryone) await refuses(id, everyone, "BAD_REQUEST", owner);
        const nested = { direct_members: [], direct_subgroups: [groups["role:everyone"]] };
        if (!permission.allowEveryone)
          await refuses(id, { [name]: { new: nested } }, "BAD_REQUEST", owner);
      }
    });

    it("that open a private channel, from a caller who cannot read it", async () => {
      const { groups, owner } = scene.org;
      const { id } = await room({ inviteOnly: true });
      for (const name of ["can_add_subscribers_group", "can_subscribe_group"] as const) {
        await refuses(id, { [name]: { new: groups["role:members"] } }, "BAD_REQUEST", owner);
        await patchedChannel(scene, id, { [name]: { new: groups["role:nobody"] } }, owner);
      }
    });

    it("to delete messages, from a caller who may not set the organization's", async () => {
      const { groups, member, moderator } = scene.org;
      const { id } = await channel(scene.db, member, {
        groups: { canAdministerChannelGroupId: groups["role:members"] },
      });
      for (const name of [
        "can_delete_any_message_group",
        "can_delete_own_message_group",
      ] as const) {
        await refuses(id, { [name]: { new: groups["role:members"] } }, "BAD_REQUEST", member);
        await patchedChannel(scene, id, { [name]: { new: groups["role:nobody"] } }, member);
        await patchedChannel(scene, id, { [name]: { new: groups["role:members"] } }, moderator);
      }
    });
  });

  it("in the documented order", async () => {
    const { groups } = scene.org;
    const gate = await room({
      inviteOnly: true,
      groups: { canAdministerChannelGroupId: groups["role:members"] },
    });
    await room({ name: "Occupied" });
    const old = groups["role:nobody"];
    const steps: ReadonlyArray<readonly [ChannelPatch, code: string, about: RegExp]> = [
      [{ description: "x".repeat(1_025) }, "BAD_REQUEST", /description/],
      [{ is_web_public: true }, "BAD_REQUEST", /web-public/],
      [{ is_private: true, is_web_public: false }, "BAD_REQUEST", /read/],
      [{ can_create_topic_group: { new: old } }, "BAD_REQUEST", /protected/],
      [{ is_default_stream: false }, "UNAUTHORIZED_PRINCIPAL", /default/],
      [{ message_retention_days: 3 }, "UNAUTHORIZED_PRINCIPAL", /retention/],
      [{ is_archived: false }, "BAD_REQUEST", /archived/],
      [{ topics_policy: "inherit" }, "BAD_REQUEST", /topics_policy/],
      [{ new_name: "occupied" }, "CHANNEL_ALREADY_EXISTS", /occupied/],
      [{ folder_id: 2 ** 31 - 1 }, "BAD_REQUEST", /folder/],
      [{ can_send_message_group: { new: old, old } }, "EXPECTATION_MISMATCH", /old/],
      [{ can_subscribe_group: { new: groups["role:members"] } }, "BAD_REQUEST", /read/],
    ];
    await withRealm({ canSetTopicsPolicyGroupId: groups["role:nobody"] }, async () => {
      const reader = await user(scene.db, scene.org.realm);
      for (const [first, [, code, about]] of steps.entries()) {
        // Later steps fail in the same requests, except where the step itself excludes them.
        const later = steps.slice(first).map(([params]) => params);
        const params = Object.assign({}, ...later.reverse()) as ChannelPatch;
        const ask = () => patchChannel(scene, gate, params, reader);
        const { msg } = await refused(scene.db, ask, code);
        expect(msg, JSON.stringify(params)).to.match(about);
      }
    });
  });
});
