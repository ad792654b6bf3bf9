import { createChannel, getMessages, listChannels, type InputOf } from "@carillon/contract";
import {
  changeOrganization,
  organization,
  refused,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

type Params = { [Name in keyof InputOf<typeof createChannel>]?: unknown };

describe("POST /channels/create", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const second = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  let count = 0;
  const freshName = () => `room ${++count}`;
  const create = (params: Params, by: TestAccount = org.member) =>
    gateway.as(by).call(createChannel, {
      params: { name: freshName(), subscribers: [], ...params },
    });
  const created = async (params: Params = {}, by: TestAccount = org.member) => {
    const { body } = await create(params, by);
    expect(body.result, body.msg).to.equal("success");
    return channelAs(org.admin, body.id);
  };
  const channelAs = async (viewer: TestAccount, id: number) => {
    const { streams } = await gateway.as(viewer).succeed(listChannels, {
      params: { include_all: true },
    });
    const found = streams.find((channel) => channel.stream_id === id);
    if (!found) throw new Error(`${viewer.fullName} does not see channel ${id}`);
    return found;
  };
  const refuses = (
    params: Params,
    by: TestAccount = org.member,
    { status, code }: { status?: number; code?: string } = {},
  ) => refused(db, () => create(params, by), code, undefined, status);
  const withRealm = async (
    row: Parameters<typeof changeOrganization>[2],
    work: () => Promise<unknown>,
  ) => {
    const names = Object.keys(row) as Array<keyof typeof row>;
    const current = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    await changeOrganization(db, org.realm, row);
    try {
      await work();
    } finally {
      const old = Object.fromEntries(names.map((name) => [name, Reflect.get(current, name)]));
      await changeOrganization(db, org.realm, old);
    }
  };

  describe("makes a channel", () => {
    it("with every field and every permission at its default", async () => {
      const { body } = await create({ name: "  Tower  ", description: "**Bells**\r\nand\nropes" });
      const { date_created, first_message_id, ...channel } = await channelAs(org.member, body.id);
      expect(date_created).to.be.closeTo(Date.now() / 1000, 60);
      expect(first_message_id).to.be.a("number");
      const { groups } = org;
      expect(channel).to.deep.equal({
        stream_id: body.id,
        name: "Tower",
        description: "**Bells** and ropes",
        rendered_description: "<p><strong>Bells</strong> and ropes</p>",
        creator_id: org.member.id,
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
        can_administer_channel_group: { direct_members: [org.member.id], direct_subgroups: [] },
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

    it("with those subscribed who are listed, once each, and the creator only if listed", async () => {
      const { stream_id, subscriber_count } = await created({
        subscribers: [org.guest.id, org.bot.id, org.guest.id],
      });
      expect(subscriber_count).to.equal(2);
      const rows = await db.prisma.subscription.findMany({ where: { channelId: stream_id } });
      expect(rows.map(({ userId }) => userId)).to.have.members([org.guest.id, org.bot.id]);
      for (const { color } of rows) expect(color).to.match(/^#[0-9a-f]{6}$/);
    });

    it("in colours that the subscribers do not use yet", async () => {
      const account = await user(db, org.realm);
      const colors = new Set<string>();
      for (let i = 0; i < 12; i++) {
        const { stream_id } = await created({ subscribers: [account.id] });
        const { color } = await db.prisma.subscription.findUniqueOrThrow({
          where: { channelId_userId: { channelId: stream_id, userId: account.id } },
        });
        colors.add(color);
      }
      expect(colors.size).to.equal(12);
    });

    it("that is private, with protected history unless asked otherwise", async () => {
      expect(await created({ invite_only: true })).to.include({
        invite_only: true,
        history_public_to_subscribers: false,
      });
      expect(await created({ invite_only: true, history_public_to_subscribers: true })).to.include({
        history_public_to_subscribers: true,
      });
    });

    it("whose history is for all when it is public, whatever was asked", async () => {
      const members = org.groups["role:members"];
      for (const more of [{}, { can_create_topic_group: members }])
        expect(await created({ history_public_to_subscribers: false, ...more })).to.include({
          history_public_to_subscribers: true,
        });
      await withRealm({ enableSpectatorAccess: true }, async () => {
        const wanted = { is_web_public: true, history_public_to_subscribers: false };
        expect(await created(wanted, org.owner)).to.include({
          history_public_to_subscribers: true,
        });
      });
    });

    it("with protected history where everyone may begin topics, in whatever form that is said", async () => {
      const everyone = org.groups["role:everyone"];
      const can_create_topic_group = { direct_members: [], direct_subgroups: [everyone] };
      expect(await created({ invite_only: true, can_create_topic_group })).to.include({
        history_public_to_subscribers: false,
        can_create_topic_group: everyone,
      });
    });

    it("for bots, and with names of any script", async () => {
      for (const name of ["🔔", "a*b>c", "Глокеншпиль", "x".repeat(60), "🙂".repeat(60)])
        expect((await created({ name }, org.bot)).name).to.equal(name);
    });

    it("with a description of 1024 characters", async () => {
      const description = "🙂".repeat(1024);
      expect((await created({ description })).description).to.equal(description);
    });

    it("with the permissions that were asked for, in the form that says least", async () => {
      const { groups, member, admin } = org;
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
        org.moderator,
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

    it("that older clients understand who may post in", async () => {
      const policies = [];
      for (const name of [
        "role:everyone",
        "role:administrators",
        "role:fullmembers",
        "role:nobody",
      ] as const) {
        const channel = await created({ can_send_message_group: org.groups[name] });
        policies.push([channel.stream_post_policy, channel.is_announcement_only]);
      }
      expect(policies).to.deep.equal([
        [1, false],
        [2, true],
        [3, false],
        [1, false],
      ]);
    });

    it("with a group of one's own as a permission", async () => {
      const group = await userGroup(db, org.realm, { members: [org.member] });
      expect(await created({ can_send_message_group: group.id })).to.include({
        can_send_message_group: group.id,
      });
    });

    it("in a folder, archived or not", async () => {
      const folder = await db.prisma.channelFolder.create({
        data: { realmId: org.realm.id, name: "Old", isArchived: true },
      });
      expect(await created({ folder_id: folder.id })).to.include({ folder_id: folder.id });
    });

    it("with a retention of its own, for owners", async () => {
      const days = async (message_retention_days: unknown) =>
        (await created({ message_retention_days }, org.owner)).message_retention_days;
      expect(await days(30)).to.equal(30);
      expect(await days("unlimited")).to.equal(-1);
      expect(await days('"unlimited"')).to.equal(-1);
      expect(await days("realm_default")).to.equal(null);
      expect((await created({ message_retention_days: "realm_default" })).stream_id).to.be.above(0);
    });

    it("with a policy for topics, spelled with or without quotation marks", async () => {
      for (const topics_policy of ["empty_topic_only", '"disable_empty_topic"'])
        expect((await created({ topics_policy })).topics_policy).to.equal(
          topics_policy.replaceAll('"', ""),
        );
    });

    it("that new members are subscribed to, when an administrator says so", async () => {
      const channel = await created({ is_default_stream: true }, org.admin);
      const rows = await db.prisma.defaultChannel.findMany({
        where: { channelId: channel.stream_id },
      });
      expect(rows).to.have.length(1);
    });

    it("that the web may see, where the organization and the creator may", () =>
      withRealm({ enableSpectatorAccess: true }, async () => {
        expect(await created({ is_web_public: true }, org.owner)).to.include({
          is_web_public: true,
        });
      }));

    it("and takes what is no longer a parameter for unknown", async () => {
      const { body } = await gateway.as(org.member).post("/api/v1/channels/create", {
        name: freshName(),
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
      const { body } = await create({ subscribers: [org.member.id, org.guest.id] });
      const read = async (by: TestAccount) => {
        const { messages } = await gateway.as(by).succeed(getMessages, {
          params: {
            anchor: "newest",
            num_before: 5,
            num_after: 0,
            narrow: [{ operator: "channel", operand: body.id }],
          },
        });
        return messages;
      };
      const [notice, ...others] = await read(org.member);
      expect(others).to.have.length(0);
      expect(notice).to.include({
        sender_id: org.notificationBot.id,
        subject: "channel events",
        type: "stream",
      });
      expect(notice?.content).to.include(org.member.fullName).and.include("created");
      expect(notice?.flags).to.deep.equal(["read"]);
      expect((await read(org.guest))[0]?.flags).to.deep.equal([]);
      expect((await channelAs(org.member, body.id)).first_message_id).to.equal(notice?.id);
    });

    it("in the empty topic of a channel that has no other", async () => {
      const { stream_id } = await created({ topics_policy: "empty_topic_only" });
      const { id } = await db.prisma.recipient.findUniqueOrThrow({
        where: { channelId: stream_id },
      });
      const notice = await db.prisma.message.findFirstOrThrow({ where: { recipientId: id } });
      expect(notice.topic).to.equal("");
    });

    it("unless the organization wants none", () =>
      withRealm({ sendChannelEventsMessages: false }, async () => {
        expect((await created()).first_message_id).to.equal(null);
      }));
  });

  describe("refuses", () => {
    it("guests", () => refuses({}, org.guest));

    for (const name of ["name", "subscribers"] as const) {
      it(`a request without ${name}`, async () => {
        const body = await refuses({ [name]: undefined }, org.member, {
          code: "REQUEST_VARIABLE_MISSING",
        });
        expect(body).to.include({ var_name: name });
      });
    }

    for (const [title, name] of [
      ["blank", " \t "],
      ["of more than 60 characters", "x".repeat(61)],
      ["with a control character", "a\u0001b"],
      ["with U+0000", "a\u0000b"],
      ["with a line break", "a\nb"],
      ["with a non-character", "a\ufdd0b"],
      ["with a non-character beyond the first plane", "a\u{1fffe}b"],
    ]) {
      it(`a name ${title}`, () => refuses({ name }));
    }

    it("a name that another channel has, whatever its case, archived or invisible", async () => {
      const exists = { status: 409, code: "CHANNEL_ALREADY_EXISTS" };
      const open = await created({ name: "Ärger" });
      const body = await refuses({ name: " äRGER " }, org.member, exists);
      expect(body).to.have.all.keys("result", "msg", "code");
      await db.prisma.channel.update({
        where: { id: open.stream_id },
        data: { isArchived: true },
      });
      await refuses({ name: "Ärger" }, org.member, exists);
      await create({ name: "hidden", invite_only: true }, org.admin);
      await refuses({ name: "Hidden" }, org.member, exists);
    });

    it("no name that a channel of another organization has", async () => {
      const other = await organization(db);
      await create({ name: "shared" }, other.member);
      expect((await created({ name: "shared" })).name).to.equal("shared");
    });

    it("a description of more than 1024 characters", () =>
      refuses({ description: "x".repeat(1025) }));

    for (const [name, value] of [
      ["invite_only", "yes"],
      ["subscribers", "[true]"],
      ["subscribers", "7"],
      ["folder_id", '"1"'],
      ["message_retention_days", "0"],
      ["message_retention_days", "1.5"],
      ["message_retention_days", "forever"],
      ["message_retention_days", "99999999999"],
      ["topics_policy", "no_topics"],
      ["can_send_message_group", '"role:everyone"'],
      ["can_send_message_group", '{"direct_members":[]}'],
      ["can_send_message_group", "[1]"],
    ] as const) {
      it(`${name} = ${value}`, () => refuses({ [name]: value }, org.owner));
    }

    it("accounts that are unknown, deactivated, of another organization or the organization's own bots", async () => {
      const other = await organization(db);
      const gone = await user(db, org.realm, { isActive: false });
      for (const id of [2_000_000_000, 99_999_999_999, gone.id, other.member.id, org.welcomeBot.id])
        await refuses({ subscribers: [org.member.id, id] });
    });

    it("folders that are unknown or of another organization", async () => {
      const other = await organization(db);
      const folder = await db.prisma.channelFolder.create({
        data: { realmId: other.realm.id, name: "Theirs" },
      });
      await refuses({ folder_id: 2_000_000_000 });
      await refuses({ folder_id: folder.id });
    });

    it("who may delete messages, unless the creator decides that in the organization", async () => {
      for (const setting of ["can_delete_any_message_group", "can_delete_own_message_group"]) {
        await refuses({ [setting]: org.groups["role:members"] });
        await created({ [setting]: org.groups["role:nobody"] });
        await created({ [setting]: org.groups["role:members"] }, org.moderator);
      }
    });

    it("creators who may not make public or private channels", async () => {
      const nobody = org.groups["role:nobody"];
      await withRealm({ canCreatePublicChannelGroupId: nobody }, async () => {
        await refuses({}, org.owner);
        await created({ invite_only: true });
      });
      await withRealm({ canCreatePrivateChannelGroupId: nobody }, async () => {
        await refuses({ invite_only: true }, org.owner);
        await created({});
      });
    });

    it("default channels of members, and private ones", async () => {
      await refuses({ is_default_stream: true }, org.moderator);
      await refuses({ is_default_stream: true, invite_only: true }, org.admin);
    });

    it("web-public channels where there are none, of members, and private ones", async () => {
      await refuses({ is_web_public: true }, org.owner);
      await withRealm({ enableSpectatorAccess: true }, async () => {
        await refuses({ is_web_public: true }, org.admin);
        await refuses({ is_web_public: true, invite_only: true }, org.owner);
      });
    });

    it("a retention that is set by somebody else than an owner", () =>
      refuses({ message_retention_days: 5 }, org.admin, { code: "UNAUTHORIZED_PRINCIPAL" }));

    it("a policy for topics of those who may not set one", () =>
      withRealm({ canSetTopicsPolicyGroupId: org.groups["role:nobody"] }, async () => {
        await refuses({ topics_policy: "allow_empty_topic" });
        await created({ topics_policy: "inherit" });
        await created({ topics_policy: "allow_empty_topic" }, org.admin);
      }));

    it("topics that only some may begin where history is protected", async () => {
      const members = org.groups["role:members"];
      const body = await refuses({ invite_only: true, can_create_topic_group: members });
      expect(Reflect.get(body, "parameters")).to.equal(
        "history_public_to_subscribers, can_create_topic_group",
      );
      await created({
        invite_only: true,
        history_public_to_subscribers: true,
        can_create_topic_group: members,
      });
      await created({ can_create_topic_group: members });
    });

    it("all but one of those who race for a name, in two gateways and in any case", async () => {
      const name = freshName();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 === 0 ? gateway : second).as(org.member).call(createChannel, {
            params: { name: i % 3 === 0 ? name : name.toUpperCase(), subscribers: [org.member.id] },
          }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses).to.have.members([200, 409, 409, 409, 409, 409, 409, 409]);
    });
  });
});
