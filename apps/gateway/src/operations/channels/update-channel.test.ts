import { channelPermissions } from "@carillon/contract";
import {
  bot,
  changeChannel,
  changeOrganization,
  changesOf,
  channel,
  organization,
  patchChannel,
  patchedChannel,
  refused,
  shownChannel,
  subscribe,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §5
describe("PATCH /streams/{stream_id}", () => {
  const scene = useScene({ row: { enableSpectatorAccess: true } });
  const room = (overrides?: Parameters<typeof channel>[2]) =>
    channel(scene.db, scene.org.member, overrides);

  describe("changes", () => {
    it("the name, trimmed, to a free name or another case of its own name", async () => {
      const { id } = await room({ name: "Clock tower" });
      expect(await patchedChannel(scene, id, { new_name: "  Belfry " })).to.include({
        name: "Belfry",
      });
      expect(await patchedChannel(scene, id, { new_name: "BELFRY" })).to.include({
        name: "BELFRY",
      });
      for (const name of ["🔔", "a*b>c", "Глокеншпиль", "🙂".repeat(60)])
        expect(await patchedChannel(scene, id, { new_name: name })).to.include({ name });
    });

    it("the name to one in use in another organization", async () => {
      const other = await organization(scene.db);
      await channel(scene.db, other.owner, { name: "carillonneurs" });
      const { id } = await room();
      const { name } = await patchedChannel(scene, id, { new_name: "carillonneurs" });
      expect(name).to.equal("carillonneurs");
    });

    it("the description, on one line, and its HTML", async () => {
      const { id } = await room();
      const description = "**Old**\r\nbells";
      expect(await patchedChannel(scene, id, { description })).to.include({
        description: "**Old** bells",
        rendered_description: "<p><strong>Old</strong> bells</p>",
      });
      expect(await patchedChannel(scene, id, { description: "" })).to.include({
        description: "",
        rendered_description: "",
      });
      const longest = "🙂".repeat(1_024);
      expect((await patchedChannel(scene, id, { description: longest })).description).to.equal(
        longest,
      );
    });

    it("the privacy and the matching history, unless another history is requested", async () => {
      const { id } = await room({ subscribers: [scene.org.owner] });
      const states = [
        [{ is_private: true }, [true, false, false]],
        [{ history_public_to_subscribers: true }, [true, true, false]],
        [{ is_private: true }, [true, false, false]],
        [{ is_private: false }, [false, true, false]],
        [{ is_private: true, history_public_to_subscribers: true }, [true, true, false]],
        [{ is_private: false, is_web_public: true }, [false, true, true]],
        [{ is_web_public: true }, [false, true, true]],
        [{ is_private: true, is_web_public: false }, [true, false, false]],
        [{ history_public_to_subscribers: false }, [true, false, false]],
        [
          { is_private: false, is_web_public: true, history_public_to_subscribers: true },
          [false, true, true],
        ],
        [{ is_web_public: false }, [false, true, false]],
      ] as const;
      for (const [params, state] of states) {
        const now = await patchedChannel(scene, id, params, scene.org.owner);
        const { invite_only, history_public_to_subscribers, is_web_public } = now;
        const received = [invite_only, history_public_to_subscribers, is_web_public];
        expect(received, JSON.stringify(params)).to.deep.equal(state);
      }
    });

    it("whether new members are subscribed to it", async () => {
      const { id } = await room();
      const set = { is_default_stream: true };
      expect((await patchedChannel(scene, id, set)).is_default).to.equal(true);
      expect((await patchedChannel(scene, id, set)).is_default).to.equal(true);
      expect(await patchedChannel(scene, id, { is_default_stream: false })).to.include({
        is_default: false,
      });
    });

    it("a default channel to a private one and removes it from the default channels", async () => {
      const { id } = await room({ isDefault: true, subscribers: [scene.org.admin] });
      const params = { is_private: true, is_default_stream: false };
      expect(await patchedChannel(scene, id, params)).to.include({
        invite_only: true,
        is_default: false,
      });
    });

    it("the retention period, with or without quotation marks", async () => {
      const { id } = await room();
      const days = async (message_retention_days: unknown) => {
        const now = await patchedChannel(scene, id, { message_retention_days }, scene.org.owner);
        return now.message_retention_days;
      };
      expect(await days(30)).to.equal(30);
      expect(await days("unlimited")).to.equal(-1);
      expect(await days("realm_default")).to.equal(null);
      expect(await days('"unlimited"')).to.equal(-1);
      expect(await days('"realm_default"')).to.equal(null);
    });

    it("the folder, also to an archived one or to none", async () => {
      const { id: folder } = await scene.db.prisma.channelFolder.create({
        data: { realmId: scene.org.realm.id, name: "Old", isArchived: true },
      });
      const { id } = await room();
      expect((await patchedChannel(scene, id, { folder_id: folder })).folder_id).to.equal(folder);
      expect((await patchedChannel(scene, id, { folder_id: null })).folder_id).to.equal(null);
    });

    it("the topics policy, with or without quotation marks", async () => {
      const { id } = await room({ topicsPolicy: "empty_topic_only" });
      for (const topics_policy of [
        "empty_topic_only",
        "disable_empty_topic",
        '"allow_empty_topic"',
        "inherit",
      ])
        expect((await patchedChannel(scene, id, { topics_policy })).topics_policy).to.equal(
          topics_policy.replaceAll('"', ""),
        );
    });

    it("each permission to a named or anonymous group in its simplest form", async () => {
      const { groups, owner, member } = scene.org;
      const { id } = await room({ subscribers: [owner] });
      const group = await userGroup(scene.db, scene.org.realm, { members: [member] });
      for (const { name } of Object.values(channelPermissions)) {
        const change = async (value: unknown) =>
          (await patchedChannel(scene, id, { [name]: { new: value } }, owner))[name];
        expect(await change(group.id), name).to.equal(group.id);
        const set = { direct_members: [member.id], direct_subgroups: [groups["role:owners"]] };
        expect(await change(set), name).to.deep.equal(set);
        const more = { direct_members: [owner.id, member.id, owner.id], direct_subgroups: [] };
        const ascending = [owner.id, member.id].sort((a, b) => a - b);
        expect(await change(more), name).to.deep.equal({ ...more, direct_members: ascending });
        expect(await change({ direct_members: [], direct_subgroups: [] })).to.equal(
          groups["role:nobody"],
        );
      }
    });

    it("all properties in one request", async () => {
      const { groups, owner } = scene.org;
      const { id } = await room({ subscribers: [owner] });
      const params = {
        new_name: "At once",
        description: "all",
        is_private: true,
        message_retention_days: 7,
        topics_policy: "disable_empty_topic",
        can_send_message_group: { new: groups["role:moderators"] },
        can_subscribe_group: { new: groups["role:members"], old: groups["role:nobody"] },
      };
      expect(await patchedChannel(scene, id, params, owner)).to.include({
        name: "At once",
        description: "all",
        invite_only: true,
        history_public_to_subscribers: false,
        message_retention_days: 7,
        topics_policy: "disable_empty_topic",
        can_send_message_group: groups["role:moderators"],
        stream_post_policy: 4,
        can_subscribe_group: groups["role:members"],
      });
    });

    it("archived channels, except for is_default_stream", async () => {
      const { owner } = scene.org;
      const archived = { isArchived: true, subscribers: [owner] };
      const { id } = await room(archived);
      const params = { is_private: true, new_name: "Put away", message_retention_days: 3 };
      expect(await patchedChannel(scene, id, params, owner)).to.include({
        is_archived: true,
        invite_only: true,
        name: "Put away",
        message_retention_days: 3,
      });
    });

    it("an archived channel to an active one together with other properties", async () => {
      const { owner } = scene.org;
      const { id } = await room({ isArchived: true, inviteOnly: true });
      const params = {
        is_archived: false,
        is_private: false,
        is_default_stream: true,
        new_name: "Here again",
      };
      await subscribe(scene.db, id, owner);
      expect(await patchedChannel(scene, id, params, owner)).to.include({
        is_archived: false,
        invite_only: false,
        is_default: true,
        name: "Here again",
      });
    });

    it("nothing for an empty request or current values", async () => {
      const { groups, owner } = scene.org;
      const same = {
        description: "same",
        is_private: false,
        is_web_public: false,
        history_public_to_subscribers: true,
        is_default_stream: false,
        message_retention_days: "realm_default",
        is_archived: true,
        folder_id: null,
        topics_policy: "inherit",
        can_send_message_group: { new: groups["role:everyone"], old: groups["role:everyone"] },
        can_subscribe_group: { new: { direct_members: [], direct_subgroups: [] } },
      };
      const { id } = await room({ description: "same", subscribers: [owner] });
      for (const params of [{}, same]) {
        const { result, tables } = await changesOf(scene.db, () =>
          patchChannel(scene, id, params, owner),
        );
        expect(result.body).to.deep.equal({ result: "success", msg: "" });
        expect(tables).to.deep.equal([]);
      }
    });

    it("and reports removed parameters as unsupported", async () => {
      const { id } = await room();
      const { body } = await scene.as(scene.org.admin).patch(`/api/v1/streams/${id}`, {
        stream_post_policy: 2,
        is_announcement_only: true,
        description: "new",
      });
      expect(body.ignored_parameters_unsupported).to.have.members([
        "stream_post_policy",
        "is_announcement_only",
      ]);
      expect((await shownChannel(scene, id)).description).to.equal("new");
    });

    it("and writes old and new values to the audit log", async () => {
      const { id, name } = await room({ name: "Before" });
      const set = { new: scene.org.groups["role:nobody"] };
      await patchedChannel(scene, id, { new_name: "After", can_send_message_group: set });
      const rows = await scene.db.prisma.auditLog.findMany({
        where: { realmId: scene.org.realm.id, eventType: "channel_setting_changed" },
        orderBy: { id: "desc" },
        take: 2,
      });
      expect(rows.map(({ actingUserId }) => actingUserId)).to.deep.equal(
        Array(2).fill(scene.org.admin.id),
      );
      expect(rows.map(({ extraData }) => extraData)).to.have.deep.members([
        { channel_id: id, setting: "name", old: name, new: "After" },
        {
          channel_id: id,
          setting: "can_send_message_group",
          old: scene.org.groups["role:everyone"],
          new: set.new,
        },
      ]);
    });
  });

  describe("is allowed for", () => {
    const rename = { description: "by whom?" };

    it("administrators, also for private channels that they cannot read", async () => {
      const { admin, owner } = scene.org;
      for (const by of [admin, owner]) {
        const { id } = await room({ inviteOnly: true });
        await patchedChannel(scene, id, rename, by);
      }
    });

    it("members of can_administer_channel_group, including bots and without a subscription", async () => {
      const { member, moderator, groups } = scene.org;
      const own = await bot(scene.db, moderator);
      const { id } = await room({ inviteOnly: true });
      await patchedChannel(scene, id, rename, member);
      const everybody = { direct_members: [own.id], direct_subgroups: [groups["role:moderators"]] };
      await patchedChannel(scene, id, { can_administer_channel_group: { new: everybody } });
      await patchedChannel(scene, id, { description: "a bot" }, own);
      await patchedChannel(scene, id, { description: "a moderator" }, moderator);
    });

    it("neither moderators by their role nor guests by any group", async () => {
      const { moderator, guest, groups } = scene.org;
      const { id } = await room({ subscribers: [guest] });
      await changeChannel(scene.db, id, {
        canAdministerChannelGroupId: groups["role:everyone"],
      });
      const code = "CANNOT_ADMINISTER_CHANNEL";
      await refused(scene.db, () => patchChannel(scene, id, rename, guest), code);
      const other = await room();
      await refused(scene.db, () => patchChannel(scene, other, rename, moderator), code);
    });

    it("administrators of an unreadable private channel, except for changes that would open it", async () => {
      const { owner, groups } = scene.org;
      const { id } = await room({ inviteOnly: true });
      const all = {
        new_name: "From outside",
        description: "d",
        message_retention_days: 1,
        can_administer_channel_group: { new: groups["role:moderators"] },
        can_remove_subscribers_group: { new: groups["role:members"] },
      };
      await patchedChannel(scene, id, all, owner);
    });
  });

  it("keeps a channel web-public if the organization has disabled web-public channels", async () => {
    const { id } = await room({ isWebPublic: true });
    await changeOrganization(scene.db, scene.org.realm, { enableSpectatorAccess: false });
    try {
      expect(await patchedChannel(scene, id, { description: "x" })).to.include({
        is_web_public: true,
      });
    } finally {
      await changeOrganization(scene.db, scene.org.realm, { enableSpectatorAccess: true });
    }
  });
});
