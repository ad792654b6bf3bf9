import { getMessage, getMessageHistory, getMessages, updateMessage } from "@carillon/contract";
import {
  channel,
  organization,
  subscribe,
  useDatabase,
  useGateway,
  user,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { post } from "../../test-support/reading-messages.ts";

/** messages.md §6.3: readers get no history from channels that they cannot read. */
describe("The history of a message that was moved out of a private channel", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let [secret, open]: TestChannel[] = [];
  let id: number;

  const change = (by: TestAccount, params: object) =>
    gateway.as(by).succeed(updateMessage, { path: { message_id: id }, params: params as never });
  /** The message as the account gets it from every operation. */
  const seenBy = async (by: TestAccount) => {
    const narrow = [
      { operator: "channel", operand: open?.id },
      { operator: "search", operand: "words" },
    ];
    const page = { anchor: "newest", num_before: 5, num_after: 0 };
    const [one, all, found, history] = await Promise.all([
      gateway.as(by).succeed(getMessage, { path: { message_id: id } }),
      gateway.as(by).succeed(getMessages, { params: { ...page, narrow: narrow.slice(0, 1) } }),
      gateway.as(by).succeed(getMessages, { params: { ...page, narrow } }),
      gateway.as(by).succeed(getMessageHistory, { path: { message_id: id } }),
    ]);
    expect(all.messages.map((message) => message.id)).to.include(id);
    expect(found.messages.map((message) => message.id)).to.include(id);
    return {
      one: one.message,
      history: history.message_history,
      text: JSON.stringify([one, all, found, history]),
    };
  };
  const secrets = (text: string) =>
    ["takeover", "layoffs", `"prev_stream"`].filter((word) => text.includes(word));

  const move = async (historyPublicToSubscribers: boolean) => {
    org = await organization(db);
    secret = await channel(db, org.owner, {
      inviteOnly: true,
      historyPublicToSubscribers,
      subscribers: [org.owner, org.admin],
    });
    open = await channel(db, org.owner, { subscribers: [org.owner, org.admin, org.member] });
    id = await post(gateway, org.owner, secret, "takeover", "layoffs words");
    await change(org.owner, { content: "kind words" });
    await change(org.owner, { stream_id: open.id, topic: "news" });
  };

  for (const shared of [true, false])
    it(`begins after the move for readers of the new channel only, ${shared ? "shared" : "protected"} history`, async () => {
      await move(shared);
      for (const by of [org.member, org.moderator]) {
        const { one, history, text } = await seenBy(by);
        expect(secrets(text)).to.deep.equal([]);
        expect(one).not.to.have.any.keys(
          "edit_history",
          "last_edit_timestamp",
          "last_moved_timestamp",
        );
        expect(history).to.have.length(1);
        expect(history[0]).to.include({
          topic: "news",
          content: "kind words",
          user_id: org.owner.id,
        });
      }
      for (const by of [org.owner, org.admin]) {
        const { one, history, text } = await seenBy(by);
        expect(secrets(text)).to.deep.equal(["takeover", "layoffs", `"prev_stream"`]);
        expect(one.edit_history).to.have.length(2);
        expect(history).to.have.length(3);
      }
    });

  it("shows later changes, and everything to readers of the old channel", async () => {
    await move(true);
    await change(org.owner, { content: "kinder words" });
    await change(org.owner, { topic: "good news" });
    const { one, history, text } = await seenBy(org.member);
    expect(secrets(text)).to.deep.equal([]);
    expect(
      one.edit_history?.map(({ prev_topic, prev_content }) => prev_topic ?? prev_content),
    ).to.deep.equal(["news", "kind words"]);
    expect(history.map(({ topic, content }) => [topic, content.includes("kinder")])).to.deep.equal([
      ["news", false],
      ["news", true],
      ["good news", true],
    ]);
    await subscribe(db, secret?.id ?? 0, org.member);
    expect(secrets((await seenBy(org.member)).text)).to.have.length(3);
  });

  it("stays hidden from later subscribers of a channel with protected history", async () => {
    await move(false);
    const late = await user(db, org.realm);
    await subscribe(db, secret?.id ?? 0, late);
    expect(secrets((await seenBy(late)).text)).to.deep.equal([]);
  });

  it("begins after the last of several moves out of unreadable channels", async () => {
    await move(true);
    await change(org.owner, { stream_id: secret?.id, topic: "again layoffs" });
    await change(org.owner, { stream_id: open?.id, topic: "public" });
    const { history, text } = await seenBy(org.member);
    expect(secrets(text)).to.deep.equal([]);
    expect(history.map(({ topic }) => topic)).to.deep.equal(["public"]);
    expect((await seenBy(org.admin)).one.edit_history).to.have.length(4);
  });
});
