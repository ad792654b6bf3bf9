import { listScheduledMessages } from "@carillon/contract";
import {
  alertWord,
  channel,
  fieldsOf,
  organization,
  type Params,
  send,
  setTopicPolicy,
  snapshotOf,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";

/** IDs as clients expect them: unique and ascending. */
const ids = z
  .array(z.int().positive())
  .refine((list) => list.every((id, i) => i === 0 || id > (list[i - 1] ?? id)));
const group = z.union([
  z.int(),
  z.strictObject({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
]);

/** Fields that clients read of channels (clients.md §3). */
const aChannel = {
  stream_id: z.int(),
  name: z.string(),
  description: z.string(),
  rendered_description: z.string(),
  date_created: z.int(),
  creator_id: z.int().nullable(),
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  is_archived: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  message_retention_days: z.int().nullable(),
  first_message_id: z.int().nullable(),
  folder_id: z.int().nullable(),
  topics_policy: z.string(),
  is_recently_active: z.boolean(),
  stream_weekly_traffic: z.int().nullable(),
  subscriber_count: z.int(),
  stream_post_policy: z.int().min(1).max(4),
  is_announcement_only: z.boolean(),
  can_add_subscribers_group: group,
  can_administer_channel_group: group,
  can_create_topic_group: group,
  can_delete_any_message_group: group,
  can_delete_own_message_group: group,
  can_move_messages_out_of_channel_group: group,
  can_move_messages_within_channel_group: group,
  can_remove_subscribers_group: group,
  can_resolve_topics_group: group,
  can_send_message_group: group,
  can_subscribe_group: group,
};

const subscription = (notifications: z.ZodType, more: z.ZodRawShape) =>
  z.strictObject({
    ...aChannel,
    color: z.string().regex(/^#[0-9a-f]{6}$/),
    is_muted: z.boolean(),
    in_home_view: z.boolean(),
    pin_to_top: z.boolean(),
    desktop_notifications: notifications,
    audible_notifications: notifications,
    push_notifications: notifications,
    email_notifications: notifications,
    wildcard_mentions_notify: notifications,
    ...more,
  });

const unread = z.strictObject({
  count: z.int(),
  pms: z.array(
    z.strictObject({ other_user_id: z.int(), sender_id: z.int(), unread_message_ids: ids }),
  ),
  streams: z.array(
    z.strictObject({ stream_id: z.int(), topic: z.string(), unread_message_ids: ids }),
  ),
  huddles: z.array(
    z.strictObject({
      user_ids_string: z.string().regex(/^\d+(,\d+){2,}$/),
      unread_message_ids: ids,
    }),
  ),
  mentions: ids,
  old_unreads_missing: z.boolean(),
});

/** The register parameters of a client, and the channel and message fields that it requires. */
interface Client {
  readonly name: string;
  readonly params: Params;
  readonly fields: z.ZodRawShape;
}

/** clients.md §2.3 */
const terminal: Client = {
  name: "the terminal client",
  params: {
    event_types:
      "message update_message reaction submessage subscription typing update_message_flags user_settings realm_emoji realm_user".split(
        " ",
      ),
    fetch_event_types:
      "realm presence subscription message starred_messages update_message_flags muted_topics realm_user realm_user_groups user_settings realm_emoji custom_profile_fields zulip_version".split(
        " ",
      ),
    include_subscribers: true,
  },
  fields: {
    max_message_id: z.int().positive(),
    subscriptions: z.array(subscription(z.boolean(), { subscribers: ids })).min(1),
    unsubscribed: z.array(subscription(z.boolean(), { subscribers: ids })),
    never_subscribed: z.array(z.strictObject({ ...aChannel, subscribers: ids })),
    starred_messages: ids.min(1),
    unread_msgs: unread,
    muted_topics: z
      .array(z.tuple([z.string(), z.literal(["soup", "general chat"]), z.int()]))
      .length(2),
  },
};

/** clients.md §2.4 */
const mobile: Client = {
  name: "the mobile client",
  params: {
    idle_queue_timeout: '"mobile"',
    apply_markdown: true,
    client_gravatar: false,
    slim_presence: true,
    client_capabilities: {
      notification_settings_null: true,
      bulk_message_deletion: true,
      user_avatar_url_field_optional: true,
      stream_typing_notifications: true,
      user_settings_object: true,
      include_deactivated_groups: true,
      empty_topic_name: true,
      individual_emoji_changes: true,
    },
  },
  fields: {
    max_message_id: z.int().positive(),
    alert_words: z.tuple([z.literal("soup")]),
    recent_private_conversations: z
      .array(z.strictObject({ user_ids: ids, max_message_id: z.int().positive() }))
      .min(1),
    subscriptions: z.array(subscription(z.boolean().nullable(), {})).min(1),
    unread_msgs: unread,
    starred_messages: ids.min(1),
    streams: z.array(z.strictObject(aChannel)).min(1),
    user_topics: z
      .array(
        z.strictObject({
          stream_id: z.int(),
          topic_name: z.literal(["soup", ""]),
          visibility_policy: z.literal(1),
          last_updated: z.int(),
        }),
      )
      .length(2),
    scheduled_messages: z.array(z.looseObject({ scheduled_message_id: z.int() })).length(1),
  },
};

describe("POST /register: messages and channels", () => {
  const scene = useScene();
  let room: TestChannel;
  let secret: TestChannel;
  let written: number[];
  const readers = () => [scene.org.member, scene.org.guest];

  before("let everybody have something of everything", async () => {
    const { db, org } = scene;
    const stranger = await organization(db);
    const theirs = await channel(db, stranger.owner, { subscribers: [stranger.owner] });
    await send(scene.as(stranger.owner), toChannel(theirs.id));
    room = await channel(db, org.member, {
      inviteOnly: true,
      subscribers: [...readers(), org.owner],
    });
    secret = await channel(db, org.owner, { inviteOnly: true, subscribers: [org.owner] });
    await channel(db, org.owner, { isWebPublic: true });
    const owner = scene.as(org.owner);
    written = [
      await send(owner, toChannel(room.id, { topic: "soup" })),
      await send(owner, toChannel(room.id, { topic: "", content: "@**all** hello" })),
      await send(owner, toUsers(readers().map(({ id }) => id))),
    ];
    await send(owner, toChannel(secret.id));
    for (const reader of readers()) {
      written.push(await send(owner, toUsers([reader.id])));
      await alertWord(db, reader, "soup");
      for (const topic of ["soup", ""]) await setTopicPolicy(db, reader, room, topic, "muted");
      await db.rows(
        "UPDATE user_messages SET flags = flags | 2 WHERE user_id = $1 AND message_id = $2",
        [reader.id, written[0]],
      );
      const later = { ...toUsers([org.owner.id]), scheduled_delivery_timestamp: 4_000_000_000 };
      succeeded(await scene.as(reader).post("/api/v1/scheduled_messages", later));
    }
  });

  for (const client of [terminal, mobile])
    for (const who of ["member", "guest"] as const)
      it(`contain for a ${who} the fields that ${client.name} reads`, async () => {
        const account = scene.org[who];
        const snapshot = await snapshotOf(scene.as(account), undefined, client.params);
        for (const [name, type] of Object.entries(client.fields)) {
          const { error } = (type as z.ZodType).safeParse(snapshot[name]);
          expect(error && z.prettifyError(error), name).to.equal(undefined);
        }
        const received = JSON.stringify(snapshot);
        expect(received).not.to.contain(secret.name);
        const { streams, pms, huddles, mentions, count } = snapshot["unread_msgs"] as z.infer<
          typeof unread
        >;
        const emptyTopic = client === mobile ? "" : "general chat";
        const [soup = 0, all = 0, three = 0] = written;
        expect(streams).to.have.deep.members([
          { stream_id: room.id, topic: "soup", unread_message_ids: [soup] },
          { stream_id: room.id, topic: emptyTopic, unread_message_ids: [all] },
        ]);
        expect(huddles.map((each) => each.unread_message_ids)).to.deep.equal([[three]]);
        expect(pms.map(({ other_user_id }) => other_user_id)).to.deep.equal([scene.org.owner.id]);
        expect([mentions, count]).to.deep.equal([[all], 2]);
      });

  const fields = async (account: TestAccount, names: readonly string[], params: Params = {}) =>
    fieldsOf(await snapshotOf(scene.as(account), names, params)).sort();

  it("are fetched by name, each with its own fields", async () => {
    const { member } = scene.org;
    const cases: Array<[names: string[], fields: string[]]> = [
      [["message"], ["max_message_id"]],
      [["update_message_flags"], []],
      [
        ["message", "update_message_flags"],
        ["max_message_id", "unread_msgs"],
      ],
      [["starred_messages"], ["starred_messages"]],
      [["alert_words"], ["alert_words"]],
      [["subscription"], ["never_subscribed", "subscriptions", "unsubscribed"]],
      [["stream"], ["streams"]],
      [["recent_private_conversations"], ["recent_private_conversations"]],
      [["user_topic"], ["user_topics"]],
      [["muted_topics"], ["muted_topics"]],
      [["muted_topics", "user_topic"], ["user_topics"]],
      [["scheduled_messages"], ["scheduled_messages"]],
    ];
    for (const [names, expected] of cases)
      expect(await fields(member, names), names.join()).to.deep.equal(expected);
    const everything = fieldsOf(await snapshotOf(scene.as(member)));
    expect(everything).to.include.members(["muted_topics", "user_topics"]);
  });

  it("contain the scheduled messages that their list operation returns", async () => {
    const client = scene.as(scene.org.member);
    const { scheduled_messages } = await snapshotOf(client, ["scheduled_messages"]);
    const listed = (await client.succeed(listScheduledMessages)).scheduled_messages;
    expect(scheduled_messages).to.deep.equal(listed);
  });

  it("follow the account's changes", async () => {
    const { db, org } = scene;
    const { name } = await channel(db, org.owner);
    const client = scene.as(org.member);
    const lists = async () => {
      const snapshot = await snapshotOf(client, ["subscription"]);
      return ["subscriptions", "unsubscribed", "never_subscribed"].filter((list) =>
        (snapshot[list] as Array<{ name: string }>).some((each) => each.name === name),
      );
    };
    expect(await lists()).to.deep.equal(["never_subscribed"]);
    const path = "/api/v1/users/me/subscriptions";
    succeeded(await client.post(path, { subscriptions: [{ name }] }));
    expect(await lists()).to.deep.equal(["subscriptions"]);
    succeeded(await client.delete(path, { subscriptions: [name] }));
    expect(await lists()).to.deep.equal(["unsubscribed"]);
  });

  it("list subscribers with each value of the parameter", async () => {
    const { org } = scene;
    const expected = [...readers(), org.owner].map(({ id }) => id).sort((a, b) => a - b);
    for (const include_subscribers of [true, "partial", '"partial"']) {
      const snapshot = await snapshotOf(scene.as(org.guest), ["subscription"], {
        include_subscribers,
      });
      const [own] = snapshot["subscriptions"] as Array<{ subscribers: number[] }>;
      expect(own?.subscribers).to.deep.equal(expected);
    }
  });

  it("contain nothing of another organization", async () => {
    const { owner } = await organization(scene.db);
    const snapshot = await snapshotOf(scene.as(owner));
    for (const name of ["subscriptions", "unsubscribed", "never_subscribed", "streams"])
      expect(snapshot[name], name).to.deep.equal([]);
    for (const name of ["starred_messages", "alert_words", "user_topics", "muted_topics"])
      expect(snapshot[name], name).to.deep.equal([]);
    expect(snapshot["unread_msgs"]).to.deep.include({ streams: [], huddles: [], mentions: [] });
    expect(snapshot["scheduled_messages"]).to.deep.equal([]);
    expect(JSON.stringify(snapshot)).not.to.contain(room.name);
  });
});
