import { createHash } from "node:crypto";
import type { GatewayClient } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { makeBusy, type BusyAccount } from "./support/busy-account.ts";
import { pollOf } from "./support/poll.ts";
import { toDoOf } from "./support/to-do.ts";
import { useServer } from "./support/server.ts";
import {
  channel,
  eventBatch,
  message,
  messageWindow,
  modernPresences,
  parsed,
  profileField,
  snapshotUser,
  subscription,
  unread,
  userGroup,
} from "./support/shapes.ts";

const serverSettings = z.object({
  authentication_methods: z.object({ password: z.boolean(), ldap: z.boolean() }),
  external_authentication_methods: z.array(z.unknown()),
  zulip_feature_level: z.int().min(277),
  zulip_version: z.string(),
  zulip_merge_base: z.string(),
  push_notifications_enabled: z.boolean(),
  is_incompatible: z.boolean(),
  email_auth_enabled: z.boolean(),
  require_email_format_usernames: z.boolean(),
  realm_uri: z.url(),
  realm_name: z.string(),
  realm_icon: z.string(),
  realm_description: z.string(),
  realm_web_public_access_enabled: z.boolean(),
});

const byName = z.record(z.string(), z.unknown());

/** The app cannot log in if one of these is missing or has another type. */
const snapshot = z.object({
  queue_id: z.string(),
  last_event_id: z.int(),
  zulip_version: z.string(),
  zulip_merge_base: z.string(),
  zulip_feature_level: z.int().min(277),
  alert_words: z.array(z.string()),
  custom_profile_fields: z.array(profileField),
  max_stream_name_length: z.int(),
  max_topic_length: z.int(),
  server_presence_ping_interval_seconds: z.int(),
  server_presence_offline_threshold_seconds: z.int(),
  muted_users: z.array(z.object({ id: z.int(), timestamp: z.int() })),
  presences: modernPresences,
  realm_emoji: byName,
  realm_user_groups: z.array(userGroup),
  recent_private_conversations: z.array(
    z.object({ max_message_id: z.int(), user_ids: z.array(z.int()) }),
  ),
  subscriptions: z.array(subscription),
  unread_msgs: unread,
  starred_messages: z.array(z.int()),
  streams: z.array(channel),
  user_status: byName,
  user_settings: z.object({
    twenty_four_hour_time: z.boolean().nullable(),
    starred_message_counts: z.boolean(),
    display_emoji_reaction_users: z.boolean(),
    emojiset: z.string(),
    presence_enabled: z.boolean(),
  }),
  user_topics: z.array(
    z.object({
      stream_id: z.int(),
      topic_name: z.string(),
      last_updated: z.int(),
      visibility_policy: z.int(),
    }),
  ),
  realm_wildcard_mention_policy: z.literal([1, 2, 3, 5, 6, 7]),
  realm_name: z.string(),
  realm_waiting_period_threshold: z.int(),
  realm_allow_message_editing: z.boolean(),
  realm_enable_read_receipts: z.boolean(),
  realm_icon_url: z.string(),
  realm_presence_disabled: z.boolean(),
  realm_default_external_accounts: z.record(
    z.string(),
    z.object({ name: z.string(), text: z.string(), hint: z.string(), url_pattern: z.string() }),
  ),
  max_file_upload_size_mib: z.int(),
  server_emoji_data_url: z.url(),
  event_queue_longpoll_timeout_seconds: z.int(),
  realm_users: z.array(snapshotUser),
  realm_non_active_users: z.array(snapshotUser),
  cross_realm_bots: z.array(snapshotUser),
  saved_snippets: z.array(z.unknown()).nullish(),
  channel_folders: z.array(z.unknown()).nullish(),
  devices: byName.nullish(),
  realm_message_content_edit_limit_seconds: z.int().nullish(),
  realm_message_content_delete_limit_seconds: z.int().nullish(),
});

const capabilities = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  include_deactivated_groups: true,
  empty_topic_name: true,
  individual_emoji_changes: true,
};

describe("The phone app's cold start", () => {
  const server = useServer();
  let busy: BusyAccount;
  before("fill the account", async () => {
    busy = await makeBusy(server);
  });

  let phone: GatewayClient;
  let registered: z.infer<typeof snapshot>;

  it("1. reads the server's settings", async () => {
    const { status, body } = await server.as(undefined).get("/api/v1/server_settings");
    expect(status).to.equal(200);
    expect(parsed(serverSettings, body).realm_uri).to.equal(server.url);
  });

  it("2. exchanges the password for a key", async () => {
    const { email, password, apiKey } = server.account("member");
    const { body } = await server
      .as(undefined)
      .post("/api/v1/fetch_api_key", { username: email, password });
    const login = parsed(
      z.object({ api_key: z.string(), email: z.string(), user_id: z.int() }),
      body,
    );
    expect(login).to.deep.equal({ api_key: apiKey, email, user_id: busy.userId });
    phone = server.as("member");
  });

  it("3. registers, and can parse every field that it needs", async () => {
    const { status, body } = await phone.post("/api/v1/register", {
      idle_queue_timeout: '"mobile"',
      apply_markdown: true,
      client_gravatar: false,
      slim_presence: true,
      client_capabilities: capabilities,
    });
    expect(status, body.msg).to.equal(200);
    registered = parsed(snapshot, body);
    expect(body["idle_queue_timeout_secs"]).to.equal(43_200);
  });

  it("3. finds the existing data in them", () => {
    expect(registered.alert_words).to.deep.equal(["bell"]);
    expect(registered.muted_users.map(({ id }) => id)).to.deep.equal([busy.people.get("guest")]);
    expect(registered.starred_messages).to.deep.equal([busy.starred]);
    const muted = registered.user_topics.filter(({ visibility_policy }) => visibility_policy === 1);
    expect(muted.map(({ topic_name }) => topic_name)).to.deep.equal(["noise"]);
    expect(registered.user_settings.twenty_four_hour_time).to.equal(true);
    expect(registered.streams.map(({ name }) => name)).to.deep.equal(["general"]);
    expect(registered.subscriptions.map(({ name }) => name)).to.deep.equal(["general"]);
    const users = registered.realm_users.map(({ user_id }) => user_id);
    expect(users).to.include.members([...busy.people.values()]);
    const [field] = registered.custom_profile_fields;
    const me = registered.realm_users.find(({ user_id }) => user_id === busy.userId);
    expect(me?.profile_data).to.deep.equal({
      [field?.id ?? 0]: { value: "*Bells*", rendered_value: "<p><em>Bells</em></p>" },
    });
    expect(registered.realm_user_groups.map(({ name }) => name)).to.include("role:members");
    expect(registered.cross_realm_bots.map(({ full_name }) => full_name)).to.include("Welcome Bot");
  });

  it("3. finds unread messages, including the welcome message", () => {
    const { count, pms, streams, huddles, mentions } = registered.unread_msgs;
    const [owner, admin] = [busy.people.get("owner"), busy.people.get("admin")];
    const welcomeBot = registered.cross_realm_bots.find(
      ({ full_name }) => full_name === "Welcome Bot",
    );
    expect(pms.map(({ other_user_id }) => other_user_id)).to.have.members([
      owner,
      welcomeBot?.user_id,
    ]);
    const ids = [owner, admin, busy.userId].toSorted((a = 0, b = 0) => a - b).join(",");
    expect(huddles).to.deep.equal([{ user_ids_string: ids, unread_message_ids: [busy.group] }]);
    expect(mentions).to.deep.equal([busy.mention]);
    expect(streams.map(({ topic }) => topic)).to.have.members(["chimes", ""]);
    expect(count).to.equal(5);
    const conversations = registered.recent_private_conversations.map(
      ({ max_message_id }) => max_message_id,
    );
    expect(conversations.slice(0, 2)).to.deep.equal([busy.group, busy.direct]);
  });

  it("4. fetches the names of the emoji, without credentials", async () => {
    const url = new URL(registered.server_emoji_data_url);
    expect(url.origin).to.equal(server.url);
    const { body } = await server.as(undefined).get(url.pathname);
    const shape = z.object({ code_to_names: z.record(z.string(), z.array(z.string()).nonempty()) });
    expect(parsed(shape, body).code_to_names["1f642"]).to.include("smile");
  });

  it("5. receives a message through its queue", async () => {
    const { queue_id, last_event_id } = registered;
    const poll = phone.get("/api/v1/events", { queue_id, last_event_id });
    const sent = await server.as("owner").post("/api/v1/messages", {
      type: "channel",
      to: busy.channelId,
      topic: "",
      content: "Hear, *hear*",
    });
    const { events } = parsed(eventBatch, (await poll).body);
    expect(events.map(({ type }) => type)).to.deep.equal(["message"]);
    const shape = z.object({ message, flags: z.array(z.string()) });
    const event = parsed(shape, events[0]);
    expect(event.message).to.include({
      id: sent.body["id"],
      subject: "",
      content: "<p>Hear, <em>hear</em></p>",
    });
    expect(events[0]?.["message"]).not.to.have.property("flags");
  });

  it("6. sends its presence, and gets that of others", async () => {
    const ping = { status: "active", new_user_input: false, slim_presence: true };
    const { status, body } = await phone.post("/api/v1/users/me/presence", {
      ...ping,
      ping_only: false,
    });
    expect(status, body.msg).to.equal(200);
    const shape = z.object({ presences: modernPresences, server_timestamp: z.number() });
    expect(parsed(shape, body).presences).to.include.keys(String(busy.userId));
    const pinged = await phone.post("/api/v1/users/me/presence", { ...ping, ping_only: true });
    expect(pinged.body.result, pinged.text).to.equal("success");
  });

  for (const [what, narrow] of [
    ["everything", () => []],
    ["a channel", () => [{ operator: "channel", operand: busy.channelId }]],
    [
      "a topic without a name",
      () => [
        { operator: "channel", operand: busy.channelId },
        { operator: "topic", operand: "" },
      ],
    ],
    ["direct messages", () => [{ operator: "dm", operand: [busy.people.get("owner")] }]],
    ["mentions", () => [{ operator: "is", operand: "mentioned" }]],
    ["starred ones", () => [{ operator: "is", operand: "starred" }]],
    ["not the channel", () => [{ operator: "channel", operand: busy.channelId, negated: true }]],
  ] as const) {
    it(`7. reads ${what}`, async () => {
      for (const anchor of ["newest", "first_unread", String(busy.direct)]) {
        const { status, body } = await phone.get("/api/v1/messages", {
          anchor,
          num_before: 50,
          num_after: 50,
          narrow: narrow(),
          allow_empty_topic_name: true,
          client_gravatar: false,
          apply_markdown: true,
        });
        expect(status, body.msg).to.equal(200);
        expect(parsed(messageWindow, body).messages.length, anchor).to.be.greaterThan(0);
      }
    });
  }

  it("8. sends to a channel and to people, and recognizes its own message in the event", async () => {
    const { queue_id } = registered;
    const echo = { queue_id, read_by_sender: true };
    const targets = [
      { type: "channel", to: String(busy.channelId), topic: "chimes" },
      { type: "direct", to: [busy.people.get("owner")] },
    ];
    let last = (await phone.get("/api/v1/events", { queue_id, last_event_id: -1 })).body;
    for (const [index, target] of targets.entries()) {
      const local_id = `${index}.01`;
      const content = `From my pocket ${index}`;
      const sent = await phone.post("/api/v1/messages", { ...target, ...echo, content, local_id });
      expect(sent.status, sent.text).to.equal(200);
      const acknowledged = parsed(eventBatch, last).events.at(-1)?.id ?? -1;
      const heard = await phone.get("/api/v1/events", { queue_id, last_event_id: acknowledged });
      const { events } = parsed(eventBatch, heard.body);
      const own = events.find(({ type }) => type === "message");
      expect(own).to.include({ local_message_id: local_id });
      expect(own?.["flags"]).to.include("read");
      expect(own?.["message"]).to.include({ id: sent.body["id"] });
      last = heard.body;
    }
  });

  describe("9. works through a day", () => {
    let id = 0;
    let acknowledged = -1;
    /** Waits for an event of that type and returns it; acknowledges all earlier ones. */
    const heard = async (type: string): Promise<Readonly<Record<string, unknown>>> => {
      for (;;) {
        const { queue_id } = registered;
        const { body } = await phone.get("/api/v1/events", {
          queue_id,
          last_event_id: acknowledged,
        });
        for (const event of parsed(eventBatch, body).events) {
          acknowledged = event.id;
          if (event.type === type) return event;
        }
      }
    };
    const done = async (answer: ReturnType<GatewayClient["post"]>) => {
      const { status, body, text } = await answer;
      expect(status, text).to.equal(200);
      return body;
    };

    before("send what it is about", async () => {
      const body = await done(
        phone.post("/api/v1/messages", {
          type: "channel",
          to: String(busy.channelId),
          topic: "chimes",
          content: "Rung *early*",
        }),
      );
      id = Number(body["id"]);
      const { queue_id } = registered;
      const all = await phone.get("/api/v1/events", { queue_id, last_event_id: -1 });
      acknowledged = parsed(eventBatch, all.body).events.at(-1)?.id ?? -1;
    });

    it("edits a message, and gets the event without a move", async () => {
      const { raw_content } = await done(phone.get(`/api/v1/messages/${id}`));
      expect(raw_content).to.equal("Rung *early*");
      const hash = createHash("sha256").update(String(raw_content)).digest("hex");
      await done(
        phone.patch(`/api/v1/messages/${id}`, {
          content: "Rung *late*",
          prev_content_sha256: hash,
        }),
      );
      const shape = z.strictObject({
        id: z.int(),
        type: z.literal("update_message"),
        user_id: z.int(),
        message_id: z.literal(id),
        message_ids: z.tuple([z.literal(id)]),
        flags: z.array(z.string()),
        edit_timestamp: z.int(),
        rendering_only: z.literal(false),
        stream_id: z.literal(busy.channelId),
        stream_name: z.string(),
        orig_content: z.string(),
        orig_rendered_content: z.string(),
        content: z.string(),
        rendered_content: z.literal("<p>Rung <em>late</em></p>"),
        is_me_message: z.boolean(),
      });
      parsed(shape, await heard("update_message"));
    });

    it("adds and removes a reaction", async () => {
      const emoji = { emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji" };
      for (const [op, ask] of [
        ["add", () => phone.post(`/api/v1/messages/${id}/reactions`, emoji)],
        ["remove", () => phone.delete(`/api/v1/messages/${id}/reactions`, emoji)],
      ] as const) {
        await done(ask());
        const shape = z.strictObject({
          id: z.int(),
          type: z.literal("reaction"),
          op: z.literal(op),
          message_id: z.literal(id),
          user_id: z.int(),
          emoji_name: z.literal("tada"),
          emoji_code: z.literal("1f389"),
          reaction_type: z.literal("unicode_emoji"),
        });
        parsed(shape, await heard("reaction"));
      }
    });

    it("stars, and marks a topic as unread and read from a message on", async () => {
      await done(
        phone.post("/api/v1/messages/flags", { messages: [id], op: "add", flag: "starred" }),
      );
      expect(await heard("update_message_flags")).to.deep.include({
        op: "add",
        operation: "add",
        flag: "starred",
        messages: [id],
        all: false,
      });
      const narrow = [
        { operator: "channel", operand: busy.channelId },
        { operator: "topic", operand: "chimes" },
      ];
      for (const op of ["remove", "add"] as const) {
        const body = await done(
          phone.post("/api/v1/messages/flags/narrow", {
            anchor: String(id),
            include_anchor: true,
            num_before: 0,
            num_after: 1_000,
            narrow,
            op,
            flag: "read",
          }),
        );
        const shape = z.object({
          processed_count: z.int(),
          updated_count: z.int(),
          first_processed_id: z.int().nullable(),
          last_processed_id: z.int().nullable(),
          found_oldest: z.boolean(),
          found_newest: z.boolean(),
        });
        expect(parsed(shape, body)).to.include({ found_newest: true, last_processed_id: id });
      }
    });

    it("searches, and finds its words marked", async () => {
      const body = await done(
        phone.get("/api/v1/messages", {
          anchor: "newest",
          num_before: 10,
          num_after: 0,
          narrow: [{ operator: "search", operand: "late" }],
          allow_empty_topic_name: true,
        }),
      );
      parsed(messageWindow, body);
      const [found] = body["messages"] as Array<Record<string, unknown>>;
      expect(found).to.include({
        id,
        match_content: '<p>Rung <em><span class="highlight">late</span></em></p>',
      });
    });

    it("starts a poll, which is in the event and counts others' votes", async () => {
      const question = { type: "channel", to: String(busy.channelId), topic: "chimes" };
      const content = "/poll Which bell?\n- Large\n- Small";
      const { id: pollId } = await done(phone.post("/api/v1/messages", { ...question, content }));
      const sent = (await heard("message"))["message"] as Parameters<typeof pollOf>[0];
      const empty = { question: "Which bell?", options: [] as object[] };
      expect(pollOf(sent)).to.deep.equal({
        ...empty,
        options: ["Large", "Small"].map((text) => ({ text, voters: [] })),
      });
      const submit = (name: "owner" | "guest", data: object) =>
        done(
          server.as(name).post("/api/v1/submessage", {
            message_id: pollId,
            msg_type: "widget",
            content: JSON.stringify(data),
          }),
        );
      const [owner = 0, guest = 0] = [busy.people.get("owner"), busy.people.get("guest")];
      await submit("owner", { type: "vote", key: "canned,1", vote: 1 });
      const shape = z.strictObject({
        id: z.int(),
        type: z.literal("submessage"),
        msg_type: z.literal("widget"),
        message_id: z.literal(Number(pollId)),
        submessage_id: z.int(),
        sender_id: z.literal(owner),
        content: z.string(),
      });
      parsed(shape, await heard("submessage"));
      await submit("guest", { type: "new_option", idx: 1, option: "None" });
      await submit("guest", { type: "vote", key: `${guest},1`, vote: 1 });
      await submit("owner", { type: "vote", key: "canned,0", vote: 1 });
      await submit("owner", { type: "vote", key: "canned,0", vote: -1 });
      const { message: read } = await done(phone.get(`/api/v1/messages/${String(pollId)}`));
      expect(pollOf(read as Parameters<typeof pollOf>[0])).to.deep.equal({
        ...empty,
        options: [
          { text: "Large", voters: [] },
          { text: "Small", voters: [owner] },
          { text: "None", voters: [guest] },
        ],
      });
    });

    it("writes a to-do list, to which others add tasks that both strike", async () => {
      const place = { type: "channel", to: String(busy.channelId), topic: "chimes" };
      const content = "/todo Before noon\nOil: the large one\nSweep";
      const { id: listId } = await done(phone.post("/api/v1/messages", { ...place, content }));
      const sent = (await heard("message"))["message"] as Parameters<typeof toDoOf>[0];
      expect(toDoOf(sent)).to.deep.equal({
        title: "Before noon",
        tasks: [
          { task: "Oil", desc: "the large one", completed: false },
          { task: "Sweep", desc: "", completed: false },
        ],
      });
      const submit = (name: "owner" | "guest", data: object) =>
        done(
          server.as(name).post("/api/v1/submessage", {
            message_id: listId,
            msg_type: "widget",
            content: JSON.stringify(data),
          }),
        );
      const guest = busy.people.get("guest") ?? 0;
      const task = { task: "Ring", desc: "twice", completed: false };
      await submit("guest", { type: "new_task", key: 2, ...task });
      expect(await heard("submessage")).to.include({ message_id: listId, sender_id: guest });
      await submit("owner", { type: "strike", key: `2,${guest}` });
      await submit("guest", { type: "strike", key: "1,canned" });
      const { message: read } = await done(phone.get(`/api/v1/messages/${String(listId)}`));
      expect(toDoOf(read as Parameters<typeof toDoOf>[0])).to.deep.equal({
        title: "Before noon",
        tasks: [
          { task: "Oil", desc: "the large one", completed: false },
          { task: "Sweep", desc: "", completed: true },
          { ...task, completed: true },
        ],
      });
    });

    it("resolves a topic, gets read receipts, sends typing notifications, and deletes", async () => {
      const resolved = { topic: "✔ chimes", propagate_mode: "change_all" };
      await done(phone.patch(`/api/v1/messages/${id}`, resolved));
      expect(await heard("update_message")).to.include({
        orig_subject: "chimes",
        subject: "✔ chimes",
        propagate_mode: "change_all",
      });
      const { user_ids } = await done(phone.get(`/api/v1/messages/${id}/read_receipts`));
      expect(user_ids).to.be.an("array");
      await done(
        phone.post("/api/v1/typing", {
          op: "start",
          type: "channel",
          stream_id: busy.channelId,
          topic: "✔ chimes",
        }),
      );
      await done(phone.delete(`/api/v1/messages/${id}`));
      expect(await heard("delete_message")).to.deep.include({
        message_ids: [id],
        message_type: "stream",
        stream_id: busy.channelId,
        topic: "✔ chimes",
      });
    });
  });
});
