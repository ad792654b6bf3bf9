import { getMessages } from "@carillon/contract";
import {
  channelCreating,
  type TestAccount,
  unique,
  user,
  userGroup,
  useScene,
  withOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /channels/create", () => {
  const scene = useScene();
  const { channelAs, create, created } = channelCreating(scene);

  describe("creates a channel", () => {
    it("with every field and permission at its default", async () => {
      const { body } = await create({ name: "  Tower  ", description: "**Bells**\r\nand\nropes" });
      const { date_created, first_message_id, ...channel } = await channelAs(
        scene.org.member,
        body.id,
      );
      expect(date_created).to.be.closeTo(Date.now() / 1000, 60);
      expect(first_message_id).to.be.a("number");
      const { groups } = scene.org;
      expect(channel).to.deep.equal({
        stream_id: body.id,
        name: "Tower",
        description: "**Bells** and ropes",
        rendered_description: "<p><strong>Bells</strong> and ropes</p>",
        creator_id: scene.org.member.id,
        invite_only: false,
        is_web_public: false,
        history_public_to_subscribers: true,
        is_archived: false,
        folder_id: null,
        message_retention_days: null,
        topics_policy: "inherit",
        is_recently_active: true,
        subscriber_count: 0,
        stream_weekly_traffic: null,
        stream_post_policy: 1,
        is_announcement_only: false,
        can_add_subscribers_group: groups["role:nobody"],
        can_administer_channel_group: {
          direct_members: [scene.org.member.id],
          direct_subgroups: [],
        },
        can_create_topic_group: groups["role:everyone"],
        can_delete_any_message_group: groups["role:nobody"],
        can_delete_own_message_group: groups["role:nobody"],
        can_move_messages_out_of_channel_group: groups["role:nobody"],
        can_move_messages_within_channel_group: groups["role:nobody"],
        can_remove_subscribers_group: groups["role:administrators"],
        can_resolve_topics_group: groups["role:nobody"],
        can_send_message_group: groups["role:everyone"],
        can_subscribe_group: groups["role:nobody"],
      });
      expect(body).to.have.all.keys("result", "msg", "id");
    });

    it("with the listed subscribers, once each, and with the creator only if listed", async () => {
      const { stream_id, subscriber_count } = await created({
        subscribers: [scene.org.guest.id, scene.org.bot.id, scene.org.guest.id],
      });
      expect(subscriber_count).to.equal(2);
      const rows = await scene.db.prisma.subscription.findMany({ where: { channelId: stream_id } });
      expect(rows.map(({ userId }) => userId)).to.have.members([
        scene.org.guest.id,
        scene.org.bot.id,
      ]);
      for (const { color } of rows) expect(color).to.match(/^#[0-9a-f]{6}$/);
    });

    it("in colours that the subscribers do not use yet", async () => {
      const account = await user(scene.db, scene.org.realm);
      const colors = new Set<string>();
      for (let i = 0; i < 12; i++) {
        const { stream_id } = await created({ subscribers: [account.id] });
        const { color } = await scene.db.prisma.subscription.findUniqueOrThrow({
          where: { channelId_userId: { channelId: stream_id, userId: account.id } },
        });
        colors.add(color);
      }
      expect(colors.size).to.equal(12);
    });

    it("as private with protected history by default", async () => {
      expect(await created({ invite_only: true })).to.include({
        invite_only: true,
        history_public_to_subscribers: false,
      });
      expect(await created({ invite_only: true, history_public_to_subscribers: true })).to.include({
        history_public_to_subscribers: true,
      });
    });

    it("as public with shared history, whatever was requested", async () => {
      const members = scene.org.groups["role:members"];
      for (const more of [{}, { can_create_topic_group: members }])
        expect(await created({ history_public_to_subscribers: false, ...more })).to.include({
          history_public_to_subscribers: true,
        });
      await withOrganization(scene, { enableSpectatorAccess: true }, async () => {
        const wanted = { is_web_public: true, history_public_to_subscribers: false };
        expect(await created(wanted, scene.org.owner)).to.include({
          history_public_to_subscribers: true,
        });
      });
    });

    it("with protected history if role:everyone may create topics, in any form of that value", async () => {
      const everyone = scene.org.groups["role:everyone"];
      const can_create_topic_group = { direct_members: [], direct_subgroups: [everyone] };
      expect(await created({ invite_only: true, can_create_topic_group })).to.include({
        history_public_to_subscribers: false,
        can_create_topic_group: everyone,
      });
    });

    it("for bots, and with names in any script", async () => {
      for (const name of ["🔔", "a*b>c", "Глокеншпиль", "x".repeat(60), "🙂".repeat(60)])
        expect((await created({ name }, scene.org.bot)).name).to.equal(name);
    });

    it("with a description of 1024 characters", async () => {
      const description = "🙂".repeat(1024);
      expect((await created({ description })).description).to.equal(description);
    });

    it("with the requested permissions in their simplest form", async () => {
      const { groups, member, admin } = scene.org;
      const channel = await created(
        {
          can_send_message_group: groups["role:moderators"],
          can_subscribe_group: { direct_members: [], direct_subgroups: [groups["role:members"]] },
          can_add_subscribers_group: { direct_members: [], direct_subgroups: [] },
          can_administer_channel_group: {
            direct_members: [member.id, admin.id, member.id],
            direct_subgroups: [groups["role:moderators"], groups["role:everyone"]],
          },
          can_delete_any_message_group: groups["role:everyone"],
        },
        scene.org.moderator,
      );
      expect(channel).to.deep.include({
        can_send_message_group: groups["role:moderators"],
        stream_post_policy: 4,
        can_subscribe_group: groups["role:members"],
        can_add_subscribers_group: groups["role:nobody"],
        can_administer_channel_group: {
          direct_members: [member.id, admin.id].sort((a, b) => a - b),
          direct_subgroups: [groups["role:moderators"], groups["role:everyone"]].sort(
            (a, b) => a - b,
          ),
        },
        can_delete_any_message_group: groups["role:everyone"],
      });
    });

    it("with the posting policy that older clients understand", async () => {
      const policies = [];
      for (const name of [
        "role:everyone",
        "role:administrators",
        "role:fullmembers",
        "role:nobody",
      ] as const) {
        const channel = await created({ can_send_message_group: scene.org.groups[name] });
        policies.push([channel.stream_post_policy, channel.is_announcement_only]);
      }
      expect(policies).to.deep.equal([
        [1, false],
        [2, true],
        [3, false],
        [1, false],
      ]);
    });

    it("with a user group of the caller as a permission", async () => {
      const group = await userGroup(scene.db, scene.org.realm, { members: [scene.org.member] });
      expect(await created({ can_send_message_group: group.id })).to.include({
        can_send_message_group: group.id,
      });
    });

    it("in a folder, also an archived one", async () => {
      const folder = await scene.db.prisma.channelFolder.create({
        data: { realmId: scene.org.realm.id, name: "Old", isArchived: true },
      });
      expect(await created({ folder_id: folder.id })).to.include({ folder_id: folder.id });
    });

    it("with its own retention for owners", async () => {
      const days = async (message_retention_days: unknown) =>
        (await created({ message_retention_days }, scene.org.owner)).message_retention_days;
      expect(await days(30)).to.equal(30);
      expect(await days("unlimited")).to.equal(-1);
      expect(await days('"unlimited"')).to.equal(-1);
      expect(await days("realm_default")).to.equal(null);
      expect((await created({ message_retention_days: "realm_default" })).stream_id).to.be.above(0);
    });

    it("with a topics policy, with or without quotation marks", async () => {
      for (const topics_policy of ["empty_topic_only", '"disable_empty_topic"'])
        expect((await created({ topics_policy })).topics_policy).to.equal(
          topics_policy.replaceAll('"', ""),
        );
    });

    it("as a default channel for administrators", async () => {
      const channel = await created({ is_default_stream: true }, scene.org.admin);
      const rows = await scene.db.prisma.defaultChannel.findMany({
        where: { channelId: channel.stream_id },
      });
      expect(rows).to.have.length(1);
    });

    it("as web-public if the organization and the creator's permission allow it", () =>
      withOrganization(scene, { enableSpectatorAccess: true }, async () => {
        expect(await created({ is_web_public: true }, scene.org.owner)).to.include({
          is_web_public: true,
        });
      }));

    it("and reports removed parameters as unsupported", async () => {
      const { body } = await scene.as(scene.org.member).post("/api/v1/channels/create", {
        name: unique("room"),
        subscribers: [],
        stream_post_policy: 2,
        send_new_subscription_messages: true,
        announce: true,
      });
      expect(body.result).to.equal("success");
      expect(body.ignored_parameters_unsupported).to.deep.equal(["stream_post_policy"]);
    });
  });

  describe("posts a notice", () => {
    it("by the notification bot, unread for subscribers and read for the creator", async () => {
      const { body } = await create({ subscribers: [scene.org.member.id, scene.org.guest.id] });
      const read = async (by: TestAccount) => {
        const { messages } = await scene.as(by).succeed(getMessages, {
          params: {
            anchor: "newest",
            num_before: 5,
            num_after: 0,
            narrow: [{ operator: "channel", operand: body.id }],
          },
        });
        return messages;
      };
      const [notice, ...others] = await read(scene.org.member);
      expect(others).to.have.length(0);
      expect(notice).to.include({
        sender_id: scene.org.notificationBot.id,
        subject: "channel events",
        type: "stream",
      });
      expect(notice?.content).to.include(scene.org.member.fullName).and.include("created");
      expect(notice?.flags).to.deep.equal(["read"]);
      expect((await read(scene.org.guest))[0]?.flags).to.deep.equal([]);
      expect((await channelAs(scene.org.member, body.id)).first_message_id).to.equal(notice?.id);
    });

    it("in the empty topic if the channel allows no other", async () => {
      const { stream_id } = await created({ topics_policy: "empty_topic_only" });
      const { id } = await scene.db.prisma.recipient.findUniqueOrThrow({
        where: { channelId: stream_id },
      });
      const notice = await scene.db.prisma.message.findFirstOrThrow({ where: { recipientId: id } });
      expect(notice.topic).to.equal("");
    });

    it("unless the organization has turned notices off", () =>
      withOrganization(scene, { sendChannelEventsMessages: false }, async () => {
        expect((await created()).first_message_id).to.equal(null);
      }));
  });
});
