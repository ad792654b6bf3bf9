import {
  deleteTopic,
  getMessage,
  getMessages,
  updateMessage,
  updateMessageFlags,
  updateMessageFlagsInNarrow,
} from "@carillon/contract";
import { flag } from "@carillon/model";
import {
  channel,
  eventsOf,
  lastEventSeq,
  send,
  snapshotOf,
  toChannel,
  user,
  useScene,
  watch,
  type TestAccount,
  type TestChannel,
  type ReceivedEvent,
} from "@carillon/testkit";
import { expect } from "chai";

import { restoreMessages } from "../removal/restore-messages.ts";

// push.md §1: compares two accounts that differ only in that messages were pushed to one of them
describe("The flag of messages that were pushed", () => {
  const scene = useScene();
  const { db } = scene;
  let pushed: TestAccount;
  let other: TestAccount;
  let room: TestChannel;
  beforeEach(async () => {
    pushed = await user(db, scene.org.realm);
    other = await user(db, scene.org.realm);
    room = await channel(db, scene.org.owner, { subscribers: [scene.org.owner, pushed, other] });
  });

  const say = (content = "soup") =>
    send(scene.as(scene.org.owner), toChannel(room.id, { topic: "food", content }));
  const push = (ids: readonly number[]) =>
    db.rows(
      "UPDATE user_messages SET flags = flags | $3 WHERE user_id = $1 AND message_id = ANY($2)",
      [pushed.id, ids, flag.activeMobilePush],
    );
  const bits = async (id: number, by = pushed) => {
    const rows = await db.rows<{ flags: number }>(
      "SELECT flags FROM user_messages WHERE user_id = $1 AND message_id = $2",
      [by.id, id],
    );
    return rows[0]?.flags;
  };
  const isPushed = async (id: number) => ((await bits(id)) ?? 0) & flag.activeMobilePush;
  /** Does the same for both accounts, and expects the same events and responses. */
  async function alike(work: (by: TestAccount) => Promise<unknown>): Promise<ReceivedEvent[]> {
    const answers: unknown[] = [];
    const queues = { pushed: { account: pushed }, other: { account: other } };
    const received = await watch(scene.gateway, queues, async () => {
      for (const by of [pushed, other]) answers.push(await work(by));
    });
    expect(answers[0]).to.deep.equal(answers[1]);
    const untimed = (events: readonly ReceivedEvent[]) =>
      events.map((event) => ({ ...event, id: 0 }));
    expect(untimed(received.pushed)).to.deep.equal(untimed(received.other));
    return received.pushed;
  }

  it("does not appear in responses or in the snapshot", async () => {
    const ids = [await say(), await say(`hello @**${pushed.fullName}** @**${other.fullName}**`)];
    await push(ids);
    const everything = { anchor: "newest", num_before: 10, num_after: 0 };
    const narrows = [[], ["is", "unread"], ["is", "mentioned"], ["is", "starred"], ["is", "dm"]];
    await alike(async (by) => {
      const found = [];
      for (const term of narrows)
        found.push(
          await scene.as(by).succeed(getMessages, {
            params: {
              ...everything,
              narrow: term.length ? [{ operator: term[0], operand: term[1] }] : [],
            },
          }),
        );
      const one = await scene.as(by).succeed(getMessage, { path: { message_id: ids[0] ?? 0 } });
      const { unread_msgs, starred_messages } = await snapshotOf(scene.as(by), [
        "message",
        "update_message_flags",
        "starred_messages",
      ]);
      const messages = found.map((answer) => answer.messages.map(({ id, flags }) => [id, flags]));
      return [messages, one.message.flags, unread_msgs, starred_messages];
    });
  });

  it("survives changes of other flags, is cleared when the message is read, and is visible to no client", async () => {
    const id = await say();
    const narrow = [{ operator: "channel", operand: room.id }];
    for (const name of ["read", "starred", "collapsed"] as const)
      for (const op of ["add", "remove"] as const) {
        await push([id]);
        const params = { op, flag: name };
        const received = await alike((by) =>
          name === "starred"
            ? scene.as(by).succeed(updateMessageFlagsInNarrow, {
                params: { ...params, narrow, anchor: "newest", num_before: 5, num_after: 0 },
              })
            : scene.as(by).succeed(updateMessageFlags, { params: { ...params, messages: [id] } }),
        );
        expect(received, `${op} ${name}`).to.have.length(1);
        const left = name === "read" && op === "add" ? 0 : flag.activeMobilePush;
        expect(await isPushed(id), `${op} ${name}`).to.equal(left);
        expect(((await bits(id)) ?? 0) & ~flag.activeMobilePush).to.equal(await bits(id, other));
      }
  });

  it("survives an edit of the message, whose event has one row without per-user exceptions", async () => {
    const id = await say();
    await push([id]);
    const content = `hello @**${pushed.fullName}** @**${other.fullName}**`;
    const before = await lastEventSeq(db, scene.org.realm.id);
    const { events } = await eventsOf(db, scene.org.realm.id, () =>
      scene
        .as(scene.org.owner)
        .succeed(updateMessage, { path: { message_id: id }, params: { content } }),
    );
    expect(await lastEventSeq(db, scene.org.realm.id)).to.equal(before + 1);
    expect(events.map(({ userData }) => Object.keys(userData ?? {}))).to.deep.equal([
      [String(scene.org.owner.id)],
    ]);
    expect(await isPushed(id)).to.equal(flag.activeMobilePush);
  });

  it("is deleted with the message, and is not set again when the message is restored", async () => {
    const id = await say();
    await push([id]);
    await scene.as(scene.org.admin).succeed(deleteTopic, {
      path: { stream_id: room.id },
      params: { topic_name: "food" },
    });
    expect(await bits(id)).to.equal(undefined);
    expect(await restoreMessages(db, { channel: room.id })).to.equal(1);
    expect(await bits(id)).to.equal(await bits(id, other));
  });
});
