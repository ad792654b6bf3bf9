import { flag } from "@carillon/model";
import { createScheduledMessage, listScheduledMessages, sendMessage } from "@carillon/contract";
import {
  alertWord,
  channel,
  deactivateUser,
  idOf,
  organization,
  scheduledMessage,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestOrganization,
  type IdOrRow,
} from "@carillon/testkit";
import { expect } from "chai";

import { fieldsOf, statementsOf } from "../test-support.ts";
import { alertWords, scheduledMessages, starredMessages } from "./own-lists.ts";
import { newestMessage, recentConversations } from "./messages.ts";

describe("an account's own lists in a snapshot", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let reader: TestAccount;
  before(async () => {
    org = await organization(db);
  });
  beforeEach(async () => {
    reader = await user(db, org.realm);
  });

  const write = async (by: TestAccount, ...to: IdOrRow[]) => {
    const params = { type: "direct", to: to.map(idOf), content: "Hello" };
    return (await gateway.as(by).succeed(sendMessage, { params })).id;
  };
  const star = (account: TestAccount, ...ids: number[]) =>
    db.rows(
      "UPDATE user_messages SET flags = flags | $3 WHERE user_id = $1 AND message_id = ANY($2::bigint[])",
      [account.id, ids, flag.starred],
    );

  it("contain the newest message, sent or received", async () => {
    await write(org.member, org.owner);
    expect(await fieldsOf(db, newestMessage, reader)).to.deep.equal({ max_message_id: -1 });
    const got = await write(org.member, reader);
    await write(org.member, org.owner);
    expect(await fieldsOf(db, newestMessage, reader)).to.deep.equal({ max_message_id: got });
    const sent = await write(reader, org.member);
    expect(await fieldsOf(db, newestMessage, reader)).to.deep.equal({ max_message_id: sent });
  });

  it("contain the account's own starred messages, ascending", async () => {
    const ids = [
      await write(org.member, reader),
      await write(org.member, reader),
      await write(org.member, reader),
    ] as const;
    await star(reader, ids[2], ids[0]);
    await star(org.member, ids[1]);
    expect(await fieldsOf(db, starredMessages, reader)).to.deep.equal({
      starred_messages: [ids[0], ids[2]],
    });
    expect(await fieldsOf(db, starredMessages, org.guest)).to.deep.equal({ starred_messages: [] });
  });

  it("contain the alert words in the order in which they were added", async () => {
    for (const word of ["zebra", "Apple pie"]) await alertWord(db, reader, word);
    await alertWord(db, org.owner, "owner");
    expect(await fieldsOf(db, alertWords, reader)).to.deep.equal({
      alert_words: ["zebra", "Apple pie"],
    });
    expect(await fieldsOf(db, alertWords, org.guest)).to.deep.equal({ alert_words: [] });
  });

  it("contain the direct conversations, newest first, without the account's own id", async () => {
    const gone = await user(db, org.realm);
    await write(reader, gone);
    const self = await write(reader, reader);
    const group = await write(org.guest, reader, org.member);
    await write(org.member, org.guest);
    const direct = await write(reader, org.member);
    const again = await write(gone, reader);
    await deactivateUser(db, gone);
    const room = await channel(db, org.realm, { subscribers: [reader, org.owner] });
    const params = { type: "channel", to: room.id, topic: "soup", content: "Hello" };
    await gateway.as(org.owner).succeed(sendMessage, { params });
    expect(await fieldsOf(db, recentConversations, reader)).to.deep.equal({
      recent_private_conversations: [
        { user_ids: [gone.id], max_message_id: again },
        { user_ids: [org.member.id], max_message_id: direct },
        {
          user_ids: [org.member.id, org.guest.id].sort((a, b) => a - b),
          max_message_id: group,
        },
        { user_ids: [], max_message_id: self },
      ],
    });
    const stranger = await organization(db);
    expect(await fieldsOf(db, recentConversations, stranger.owner)).to.deep.equal({
      recent_private_conversations: [],
    });
  });

  it("contain the scheduled messages as GET /scheduled_messages lists them", async () => {
    const room = await channel(db, org.realm, { subscribers: [reader] });
    const [{ soon } = { soon: 0 }] = await db.rows<{ soon: number }>(
      "SELECT extract(epoch FROM now())::int + 600 AS soon",
    );
    const params = {
      type: "stream",
      to: room.id,
      topic: "",
      content: "later",
      scheduled_delivery_timestamp: soon,
    };
    const { scheduled_message_id } = await gateway
      .as(reader)
      .succeed(createScheduledMessage, { params });
    await scheduledMessage(db, reader, [org.member], { row: { failed: true } });
    await scheduledMessage(db, org.owner, [org.member]);
    const fields = await fieldsOf(db, scheduledMessages, reader);
    const { scheduled_messages } = await gateway.as(reader).succeed(listScheduledMessages);
    expect(fields).to.deep.equal({ scheduled_messages });
    expect(scheduled_messages).to.have.length(2);
    expect(scheduled_messages[0]).to.include({ scheduled_message_id, type: "stream", topic: "" });
    expect(scheduled_messages[1]).to.deep.include({ type: "private", to: [org.member.id] });
    expect(scheduled_messages[1]).not.to.have.property("topic");
  });

  it("need one statement each, and lists of long texts another one for their sizes", async () => {
    for (let n = 0; n < 3; n++) {
      await star(reader, await write(org.member, reader), await write(org.guest, reader));
      await alertWord(db, reader, `word ${n}`);
      await scheduledMessage(db, reader, [org.member]);
    }
    for (const section of [newestMessage, starredMessages, alertWords, recentConversations])
      expect(await statementsOf(db, [section], reader)).to.equal(1);
    expect(await statementsOf(db, [scheduledMessages], reader)).to.equal(2);
  });
});
