import type { GatewayClient } from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { makeBusy, type BusyAccount } from "./support/busy-account.ts";
import { useServer } from "./support/server.ts";
import {
  eventBatch,
  legacyPresences,
  message,
  messageWindow,
  parsed,
  profileField,
  snapshotUser,
  subscription,
  unread,
  userGroup,
} from "./support/shapes.ts";

/** Fields without which the program stops, and fields that its later screens read. */
const snapshot = z.object({
  queue_id: z.string(),
  last_event_id: z.int(),
  zulip_version: z.string(),
  max_message_id: z.int(),
  realm_name: z.string(),
  realm_message_retention_days: z.int(),
  presences: legacyPresences,
  subscriptions: z.array(z.object({ ...subscription.shape, subscribers: z.array(z.int()) })),
  starred_messages: z.array(z.int()),
  unread_msgs: unread,
  muted_topics: z.array(z.tuple([z.string(), z.string(), z.int()])),
  realm_users: z.array(snapshotUser),
  cross_realm_bots: z.array(snapshotUser),
  user_id: z.int(),
  email: z.string(),
  full_name: z.string(),
  realm_user_groups: z.array(userGroup),
  user_settings: z.object({
    twenty_four_hour_time: z.boolean(),
    send_private_typing_notifications: z.boolean(),
    pm_content_in_desktop_notifications: z.boolean(),
  }),
  realm_emoji: z.record(z.string(), z.unknown()),
  realm_allow_message_editing: z.boolean(),
  realm_allow_edit_history: z.boolean(),
  realm_message_content_edit_limit_seconds: z.int().nullable(),
  custom_profile_fields: z.array(profileField),
});

const eventTypes = [
  "message",
  "update_message",
  "reaction",
  "submessage",
  "subscription",
  "typing",
  "update_message_flags",
  "user_settings",
  "realm_emoji",
  "realm_user",
];

const sections = [
  "realm",
  "presence",
  "subscription",
  "message",
  "starred_messages",
  "update_message_flags",
  "muted_topics",
  "realm_user",
  "realm_user_groups",
  "user_settings",
  "realm_emoji",
  "custom_profile_fields",
  "zulip_version",
];

describe("The terminal client's cold start", () => {
  const server = useServer();
  let busy: BusyAccount;
  let terminal: GatewayClient;
  let registered: z.infer<typeof snapshot>;
  before("fill the account", async () => {
    busy = await makeBusy(server);
    terminal = server.as("member");
  });

  /** The first request for messages, verbatim: it has two anchors. */
  const firstMessages = (client: GatewayClient) =>
    client.get("/api/v1/messages", {
      anchor: 0,
      use_first_unread_anchor: true,
      num_before: 30,
      num_after: 10,
      apply_markdown: true,
      client_gravatar: true,
      narrow: [],
    });

  it("1. reads the server's settings, and asks for a password", async () => {
    const { body } = await server.as(undefined).get("/api/v1/server_settings");
    const shape = z.object({
      zulip_version: z.string(),
      realm_uri: z.url(),
      require_email_format_usernames: z.boolean(),
      email_auth_enabled: z.boolean(),
    });
    parsed(shape, body);
    const { email, password, apiKey } = server.account("member");
    const login = (given: string | null) =>
      server.as(undefined).post("/api/v1/fetch_api_key", { username: email, password: given });
    expect((await login(password)).body).to.include({ api_key: apiKey });
    expect((await login("a wrong guess")).status).to.equal(401);
  });

  it("2. reads messages with both anchors at once, and gets the window around the first unread one", async () => {
    const { status, body } = await firstMessages(terminal);
    expect(status, body.msg).to.equal(200);
    const { messages, anchor } = parsed(messageWindow, body);
    expect(messages.map(({ id }) => id)).to.include.members([busy.direct, busy.mention]);
    const unreadIds = messages.filter(({ flags }) => !flags.includes("read")).map(({ id }) => id);
    expect(anchor).to.equal(Math.min(...unreadIds));
  });

  it("2. finds a message even for a new account: the welcome message", async () => {
    for (const name of ["owner", "admin", "moderator", "guest"] as const) {
      const { body } = await firstMessages(server.as(name));
      expect(parsed(messageWindow, body).messages.length, name).to.be.greaterThan(0);
    }
    const { body } = await firstMessages(server.as("moderator"));
    const contents = parsed(messageWindow, body).messages.map(({ content }) => content);
    expect(contents.join()).to.contain("Welcome");
  });

  it("3. registers for everything at once, and can parse every field that it needs", async () => {
    const { status, body } = await terminal.post("/api/v1/register", {
      event_types: eventTypes,
      fetch_event_types: sections,
      include_subscribers: true,
      client_gravatar: true,
      apply_markdown: true,
    });
    expect(status, body.msg).to.equal(200);
    registered = parsed(snapshot, body);
  });

  it("3. finds the existing data in them, in the older formats", () => {
    expect(registered.user_id).to.equal(busy.userId);
    expect(registered.email).to.equal(server.account("member").email);
    expect(registered.realm_users.map(({ user_id }) => user_id)).to.include(busy.userId);
    expect(registered.muted_topics.map(([name, topic]) => [name, topic])).to.deep.equal([
      ["general", "noise"],
    ]);
    expect(registered.max_message_id).to.equal(busy.withoutTopic);
    const [general] = registered.subscriptions;
    expect(general?.subscribers).to.include.members([...busy.people.values()]);
    const topics = registered.unread_msgs.streams.map(({ topic }) => topic);
    expect(topics).to.have.members(["chimes", "general chat"]);
  });

  it("3. finds two settings where its last release expects them, on request", async () => {
    const names = ["update_display_settings", "update_global_notifications"];
    const fetch = async (fetch_event_types?: string[]) =>
      (await terminal.post("/api/v1/register", { fetch_event_types })).body;
    const settings = { twenty_four_hour_time: true, pm_content_in_desktop_notifications: true };
    expect(await fetch(names)).to.include(settings);
    expect(await fetch()).not.to.have.any.keys(...Object.keys(settings));
  });

  it("4. sends its presence once a minute, and gets presences by address", async () => {
    const { status, body } = await terminal.post("/api/v1/users/me/presence", {
      status: "active",
      new_user_input: true,
    });
    expect(status, body.msg).to.equal(200);
    const { presences } = parsed(z.object({ presences: legacyPresences }), body);
    expect(presences).to.include.keys(server.account("member").email);
  });

  it("5. receives a message through its queue", async () => {
    const { queue_id, last_event_id } = registered;
    const poll = terminal.get("/api/v1/events", { queue_id, last_event_id });
    await server.as("owner").post("/api/v1/messages", {
      type: "direct",
      to: [busy.userId],
      content: "Hear, *hear*",
    });
    const { events } = parsed(eventBatch, (await poll).body);
    const [event] = events.filter(({ type }) => type === "message");
    const shape = z.object({ message, flags: z.array(z.string()) });
    expect(parsed(shape, event).message.content).to.equal("<p>Hear, <em>hear</em></p>");
  });

  it("5. registers again when its queue is deleted, without a snapshot but with the newest message", async () => {
    const { queue_id } = registered;
    expect((await terminal.delete("/api/v1/events", { queue_id })).status).to.equal(200);
    const gone = await terminal.get("/api/v1/events", { queue_id, last_event_id: -1 });
    expect([gone.status, gone.body.code]).to.deep.equal([400, "BAD_EVENT_QUEUE_ID"]);
    const { body } = await terminal.post("/api/v1/register", {
      event_types: eventTypes,
      include_subscribers: true,
      client_gravatar: true,
      apply_markdown: true,
    });
    const shape = z.object({
      queue_id: z.string(),
      last_event_id: z.int(),
      max_message_id: z.int(),
    });
    expect(parsed(shape, body).queue_id).not.to.equal(queue_id);
  });

  it("sends by the channel's name with a subject, and others receive it", async () => {
    const { status, body } = await terminal.post("/api/v1/messages", {
      type: "stream",
      to: "general",
      subject: "from the terminal",
      content: "Typed",
      read_by_sender: true,
    });
    expect(status, body.msg).to.equal(200);
    const narrows = [
      [
        ["stream", "general"],
        ["topic", "from the terminal"],
      ],
      [["pm-with", server.account("owner").email]],
      [["is", "private"]],
      [["is", "starred"]],
      [["is", "mentioned"]],
    ];
    for (const narrow of narrows) {
      const read = await terminal.get("/api/v1/messages", {
        anchor: "newest",
        num_before: 10,
        num_after: 0,
        narrow,
      });
      expect(read.status, read.text).to.equal(200);
      expect(parsed(messageWindow, read.body).messages.length, JSON.stringify(narrow)).to.be.above(
        0,
      );
    }
  });
});
