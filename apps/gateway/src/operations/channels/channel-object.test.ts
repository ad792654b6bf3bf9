import {
  addSubscriptions,
  getChannel,
  listChannels,
  listSubscriptions,
  type ChannelObject,
} from "@carillon/contract";
import {
  changeSubscription,
  channel,
  channelFolder,
  countQueries,
  snapshotOf,
  subscribe,
  user,
  useScene,
  watch,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §1: every operation and event shows the same channel object.
describe("Channel objects", () => {
  const scene = useScene();
  let creator: TestAccount;
  let room: TestChannel;
  let expected: ChannelObject;
  before(async () => {
    const { db, org } = scene;
    const { groups } = org;
    const folder = await channelFolder(db, org.realm);
    creator = await user(db, org.realm);
    room = await channel(db, creator, {
      name: "Kitchen & co",
      description: "Who **cooks**",
      isWebPublic: true,
      folderId: folder.id,
      topicsPolicy: "disable_empty_topic",
      messageRetentionDays: 30,
      isDefault: true,
      subscribers: [org.owner, org.guest],
      groups: { canSendMessageGroupId: groups["role:administrators"] },
      row: {
        // Just before the end of a second: timestamps must be rounded down.
        dateCreated: new Date(1_700_000_000_999),
        firstMessageId: 77n,
        isRecentlyActive: false,
        weeklyTraffic: 12,
      },
    });
    const nobody = groups["role:nobody"];
    expected = {
      stream_id: room.id,
      name: "Kitchen & co",
      description: "Who **cooks**",
      rendered_description: "<p>Who <strong>cooks</strong></p>",
      date_created: 1_700_000_000,
      creator_id: creator.id,
      invite_only: false,
      is_web_public: true,
      history_public_to_subscribers: true,
      is_archived: false,
      folder_id: folder.id,
      first_message_id: 77,
      message_retention_days: 30,
      topics_policy: "disable_empty_topic",
      is_recently_active: false,
      subscriber_count: 2,
      stream_weekly_traffic: 12,
      stream_post_policy: 2,
      is_announcement_only: true,
      can_add_subscribers_group: nobody,
      can_administer_channel_group: { direct_members: [creator.id], direct_subgroups: [] },
      can_create_topic_group: groups["role:everyone"],
      can_delete_any_message_group: nobody,
      can_delete_own_message_group: nobody,
      can_move_messages_out_of_channel_group: nobody,
      can_move_messages_within_channel_group: nobody,
      can_remove_subscribers_group: groups["role:administrators"],
      can_resolve_topics_group: nobody,
      can_send_message_group: groups["role:administrators"],
      can_subscribe_group: nobody,
    };
  });

  const own = {
    color: "#a1b2c3",
    is_muted: true,
    in_home_view: false,
    pin_to_top: true,
    desktop_notifications: null,
    audible_notifications: null,
    push_notifications: false,
    email_notifications: true,
    wildcard_mentions_notify: null,
  };
  const wants = {
    color: "#a1b2c3",
    isMuted: true,
    pinToTop: true,
    pushNotifications: false,
    emailNotifications: true,
  };
  const inList = (list: unknown) =>
    (list as ChannelObject[]).find(({ stream_id }) => stream_id === room.id);

  it("have every field with the same value in all responses and events", async () => {
    const { member, admin } = scene.org;
    const client = scene.as(member);
    expect(
      (await client.succeed(getChannel, { path: { stream_id: room.id } })).stream,
    ).to.deep.equal(expected);
    expect(inList((await client.succeed(listChannels)).streams)).to.deep.equal(expected);
    const params = { include_default: true };
    expect(inList((await client.succeed(listChannels, { params })).streams)).to.deep.equal({
      ...expected,
      is_default: true,
    });
    for (const account of [member, admin]) {
      const snapshot = await snapshotOf(scene.as(account), ["stream", "subscription"]);
      expect(inList(snapshot["streams"])).to.deep.equal(expected);
      expect(inList(snapshot["never_subscribed"])).to.deep.equal(expected);
    }
  });

  it("add only the subscription's settings for subscribers", async () => {
    const { db, org } = scene;
    await changeSubscription(db, room, org.guest, wants);
    const client = scene.as(org.guest);
    const [listed] = (await client.succeed(listSubscriptions)).subscriptions;
    expect(listed).to.deep.equal({ ...expected, ...own });
    const params = { client_capabilities: { notification_settings_null: true } };
    const snapshot = await snapshotOf(client, ["subscription"], params);
    expect(inList(snapshot["subscriptions"])).to.deep.equal({ ...expected, ...own });
  });

  it("are the same in events to subscribers", async () => {
    const { org } = scene;
    const client_capabilities = { notification_settings_null: true };
    const queues = { moderator: { account: org.moderator, params: { client_capabilities } } };
    const subscriptions = [{ name: room.name, color: "#a1b2c3" }];
    const { moderator } = await watch(scene.gateway, queues, () =>
      scene.as(org.moderator).succeed(addSubscriptions, { params: { subscriptions } }),
    );
    const received = moderator.find(({ type, op }) => type === "subscription" && op === "add");
    const [subscription] = (received?.["subscriptions"] ?? []) as object[];
    const subscribers = [org.owner, org.guest, org.moderator].map(({ id }) => id);
    expect(subscription).to.deep.equal({
      ...expected,
      ...own,
      is_muted: false,
      in_home_view: true,
      pin_to_top: false,
      push_notifications: null,
      email_notifications: null,
      subscriber_count: 3,
      subscribers: subscribers.sort((a, b) => a - b),
    });
  });

  it("run the same number of statements among many channels as for one", async () => {
    const { db, org } = scene;
    const reader = await user(db, org.realm);
    await subscribe(db, room, reader);
    const client = scene.as(reader);
    const count = async () => {
      const include_subscribers = { params: { include_subscribers: true } };
      const lists = [
        await countQueries(db, () => client.succeed(listChannels)),
        await countQueries(db, () => client.succeed(listSubscriptions, include_subscribers)),
      ];
      return lists.map((each) => each.count);
    };
    await count();
    const alone = await count();
    for (let n = 0; n < 4; n++)
      await channel(db, org.admin, { inviteOnly: n % 2 === 0, subscribers: [reader, org.member] });
    expect(await count()).to.deep.equal(alone);
  });
});
