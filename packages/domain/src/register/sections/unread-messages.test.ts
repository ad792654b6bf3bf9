import { sendMessage } from "@carillon/contract";
import type { Statement, Tx } from "@carillon/db";
import {
  alertWord,
  changeChannel,
  changeSettings,
  changeSubscription,
  channel,
  idOf,
  organization,
  setTopicPolicy,
  unsubscribe,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
  type IdOrRow,
} from "@carillon/testkit";
import { expect } from "chai";

import { contextOf, fieldsOf, statementsOf, type Wanted } from "../test-support.ts";
import { unreadMessages } from "./unread-messages.ts";
import { maxUnread } from "./unread-groups.ts";
import { newestMessage } from "./messages.ts";

interface Unread {
  count: number;
  pms: unknown[];
  streams: Array<{ stream_id: number; topic: string; unread_message_ids: number[] }>;
  huddles: unknown[];
  mentions: number[];
  old_unreads_missing: boolean;
}

describe("the unread messages of a snapshot", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  /** A new account without messages, for each test. */
  let reader: TestAccount;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    reader = await user(db, org.realm);
  });

  const send = async (by: TestAccount, params: Record<string, unknown>) =>
    (await gateway.as(by).succeed(sendMessage, { params: { content: "Hello", ...params } })).id;
  const post = (room: TestChannel, topic: string, content = "Soup?", by = org.owner) =>
    send(by, { type: "channel", to: room.id, topic, content });
  const write = (by: TestAccount, ...to: IdOrRow[]) =>
    send(by, { type: "direct", to: to.map(idOf) });
  const unread = async (account: TestAccount = reader, wanted: Wanted = {}) =>
    (await fieldsOf(db, unreadMessages, account, wanted))["unread_msgs"] as Unread;
  const newest = async (account: TestAccount = reader) =>
    (await fieldsOf(db, newestMessage, account))["max_message_id"];
  const markRead = (...ids: number[]) =>
    db.rows(
      "UPDATE user_messages SET flags = flags | 1 WHERE user_id = $1 AND message_id = ANY($2::bigint[])",
      [reader.id, ids],
    );

  it("are empty for an account without messages", async () => {
    expect(await unread()).to.deep.equal({
      count: 0,
      pms: [],
      streams: [],
      huddles: [],
      mentions: [],
      old_unreads_missing: false,
    });
    expect(await newest()).to.equal(-1);
  });

  it("are grouped by topic and conversation, ascending, without read messages", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const other = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const soup = [await post(room, "soup"), await post(room, "soup")];
    const bread = await post(room, "bread");
    const elsewhere = await post(other, "soup");
    const read = await post(room, "soup");
    const direct = [await write(org.member, reader), await write(org.member, reader)];
    const self = await write(reader, reader);
    const huddle = await write(org.guest, reader, org.owner);
    soup.push(await post(room, "soup"));
    await markRead(read);

    const all = [reader.id, org.guest.id, org.owner.id].sort((a, b) => a - b);
    const withOne = (other_user_id: number, unread_message_ids: number[]) => ({
      other_user_id,
      sender_id: other_user_id,
      unread_message_ids,
    });
    const found = await unread();
    expect(found.streams).to.deep.equal([
      { stream_id: room.id, topic: "bread", unread_message_ids: [bread] },
      { stream_id: room.id, topic: "soup", unread_message_ids: soup },
      { stream_id: other.id, topic: "soup", unread_message_ids: [elsewhere] },
    ]);
    expect(found.pms).to.deep.equal([withOne(org.member.id, direct), withOne(reader.id, [self])]);
    expect(found.huddles).to.deep.equal([
      { user_ids_string: all.join(","), unread_message_ids: [huddle] },
    ]);
    expect(found).to.include({ count: 9, old_unreads_missing: false });
    expect(await newest()).to.equal(soup.at(-1));
  });

  it("include the account's own messages until they are read", async () => {
    const id = await write(reader, org.member);
    expect((await unread()).pms).to.deep.equal([
      { other_user_id: org.member.id, sender_id: org.member.id, unread_message_ids: [id] },
    ]);
  });

  it("merge the spellings of a topic, and show the newest", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const ids = [await post(room, "LUNCH"), await post(room, "lunch"), await post(room, "Lunch")];
    expect((await unread()).streams).to.deep.equal([
      { stream_id: room.id, topic: "Lunch", unread_message_ids: ids },
    ]);
  });

  it("show the empty topic by its display name unless the client supports the empty name", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const empty = await post(room, "");
    const alike = await post(room, "General Chat");
    const show = async (wanted: Wanted) =>
      (await unread(reader, wanted)).streams.map(({ topic, unread_message_ids }) => [
        topic,
        unread_message_ids,
      ]);
    expect(await show({ capabilities: ["empty_topic_name"] })).to.deep.equal([
      ["", [empty]],
      ["General Chat", [alike]],
    ]);
    expect(await show({})).to.deep.equal([["General Chat", [empty, alike]]]);
    await markRead(alike);
    expect(await show({})).to.deep.equal([["general chat", [empty]]]);
  });

  it("include muted messages, but do not count them", async () => {
    const loud = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const quiet = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    await changeSubscription(db, quiet, reader, { isMuted: true });
    await changeSettings(db, reader, { automatically_follow_topics_where_mentioned: false });
    await setTopicPolicy(db, reader, loud, "NOISE", "muted");
    await setTopicPolicy(db, reader, quiet, "followed", "followed");
    await setTopicPolicy(db, reader, quiet, "unmuted", "unmuted");
    const topics = [
      [loud, "news"],
      [loud, "noise"],
      [quiet, "news"],
      [quiet, "followed"],
      [quiet, "unmuted"],
    ] as const;
    const ids: number[] = [];
    for (const [room, topic] of topics)
      ids.push(await post(room, topic, `@**${reader.fullName}** look`));
    const found = await unread();
    expect(found.streams.flatMap((each) => each.unread_message_ids)).to.have.members(ids);
    expect(found.mentions).to.deep.equal(ids);
    expect(found.count).to.equal(3);
  });

  it("list messages that mention the account in any way, and no others", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    await alertWord(db, reader, "soup");
    const mine = await post(room, "a", "I am here", reader);
    const personal = await post(room, "b", `@**${reader.fullName}**`);
    const everybody = await post(room, "a", "@**all**");
    const topic = await post(room, "a", "@**topic**");
    const read = await post(room, "b", `@**${reader.fullName}** again`);
    const silent = await post(room, "b", `@_**${reader.fullName}** and soup`);
    const direct = await send(org.member, {
      type: "direct",
      to: [reader.id],
      content: `@**${reader.fullName}**`,
    });
    await markRead(mine, read);
    const { mentions, count } = await unread();
    expect(mentions).to.deep.equal([personal, everybody, topic, direct]);
    expect(mentions).not.to.include(silent);
    expect(count).to.equal(5);
  });

  it("exclude channels that the account has left, and archived ones unless the client supports them", async () => {
    const left = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const secret = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [reader, org.owner],
    });
    const archived = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    for (const room of [left, secret, archived])
      await post(room, "topic", `@**${reader.fullName}**`);
    for (const room of [left, secret]) await unsubscribe(db, room, reader);
    await changeChannel(db, archived, { isArchived: true });
    expect(await unread()).to.deep.include({ streams: [], mentions: [], count: 0 });
    const { streams, count } = await unread(reader, { capabilities: ["archived_channels"] });
    expect(streams.map(({ stream_id }) => stream_id)).to.deep.equal([archived.id]);
    expect(count).to.equal(1);
  });

  it("exist for guests and bots too, separately for each account", async () => {
    const room = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [org.guest, org.bot, org.owner],
    });
    const id = await post(room, "ours");
    for (const account of [org.guest, org.bot])
      expect((await unread(account)).streams).to.deep.include({
        stream_id: room.id,
        topic: "ours",
        unread_message_ids: [id],
      });
    expect((await unread()).streams).to.deep.equal([]);
    const stranger = await organization(db);
    expect(await unread(stranger.owner)).to.include({ count: 0 });
  });

  describe("when there are more than the newest 50,000", () => {
    let busy: TestAccount;
    let room: TestChannel;
    let newestIds: number[];
    before(async () => {
      busy = await user(db, org.realm);
      room = await channel(db, org.realm, { subscribers: [busy, org.owner] });
      const first = await post(room, "long");
      const rows = await db.rows<{ id: number }>(
        `WITH copy AS (
           INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
             render_version, client_id)
           SELECT realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content, render_version,
             client_id
           FROM messages, generate_series(1, $2::int) WHERE messages.id = $1 RETURNING id
         ) INSERT INTO user_messages (user_id, message_id) SELECT $3, id FROM copy RETURNING message_id AS id`,
        [first, maxUnread - 1, busy.id],
      );
      newestIds = [first, ...rows.map(({ id }) => id)].sort((a, b) => a - b);
      await db.rows("ANALYZE messages, user_messages");
    });

    it("leaves the older ones out and reports it", async () => {
      const complete = await unread(busy);
      expect(complete).to.include({ count: maxUnread, old_unreads_missing: false });
      expect(complete.streams[0]?.unread_message_ids).to.deep.equal(newestIds);
      newestIds = [...newestIds.slice(1), await post(room, "long")];
      const cut = await unread(busy);
      expect(cut).to.include({ count: maxUnread, old_unreads_missing: true });
      expect(cut.streams[0]?.unread_message_ids).to.deep.equal(newestIds);
    });
  });

  it("are found by the index of unread copies, and each message by its key", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const id = await post(room, "long");
    await db.rows(
      `WITH copy AS (
         INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
           render_version, client_id)
         SELECT realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content, render_version,
           client_id
         FROM messages, generate_series(1, 5000) WHERE messages.id = $1 RETURNING id
       ) INSERT INTO user_messages (user_id, message_id, flags) SELECT $2, id, 1 FROM copy`,
      [id, reader.id],
    );
    await db.rows("ANALYZE messages, user_messages");
    const plans: string[] = [];
    await db.transaction(async (tx) => {
      const context = await contextOf(tx, reader);
      const explaining = {
        rows: async (statement: Statement, values?: readonly unknown[]) => {
          const text = typeof statement === "string" ? statement : statement.text;
          const plan = await tx.rows<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, values);
          plans.push(plan.map((line) => line["QUERY PLAN"]).join("\n"));
          return [];
        },
      };
      await unreadMessages.load({ ...context, tx: explaining as unknown as Tx });
    });
    expect(plans).to.have.length(2);
    for (const plan of plans)
      expect(plan)
        .to.contain("user_messages_unread_idx")
        .and.not.to.match(/Seq Scan on (user_)?messages/);
    expect(plans.join()).to.contain("messages_pkey");
  });

  it("need the same number of statements however many there are", async () => {
    const statements = () => statementsOf(db, [unreadMessages], reader);
    const none = await statements();
    for (let n = 0; n < 3; n++) {
      const room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
      for (const topic of ["a", "b"]) await post(room, topic);
    }
    await write(org.member, reader);
    await write(org.member, reader, org.owner);
    expect(await statements()).to.equal(none);
    expect(none).to.equal(2);
  });
});
