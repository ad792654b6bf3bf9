import { deleteMessage } from "@carillon/contract";
import {
  channel,
  channelMessage,
  countQueries,
  deactivateUser,
  deliver,
  deliverNow,
  directMessage,
  failsSilently,
  kindsOf,
  makeDue,
  noticesTo,
  remind,
  remindersOf,
  schedule,
  send,
  storedRow,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  toUsers,
  unsubscribe,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a due reminder", () => {
  const scene = useScene();
  let account: TestAccount;
  let author: TestAccount;
  let room: TestChannel;
  let message: number;

  beforeEach(async () => {
    const { db, org } = scene;
    author = org.owner;
    account = await user(db, org.realm);
    room = await channel(db, org.realm, { inviteOnly: true, subscribers: [account, author] });
    message = await send(scene.as(author), toChannel(room.id, { content: "as it was" }));
  });

  const notices = (whose = account) => noticesTo(scene.as(whose), scene.org.notificationBot);
  const deliverTo = async (id: number, lateBy = 1) => {
    await deliverNow(scene.db, scene.org.realm, [id], lateBy);
    expect(await storedRow(scene.db, id)).to.include({ delivered: true, failed: false });
    const [notice, ...more] = await notices();
    expect(more).to.deep.equal([]);
    if (!notice) throw new Error("nothing was sent");
    return notice;
  };
  const change = (set: string, ...values: unknown[]) =>
    scene.db.rows(`UPDATE messages SET ${set} WHERE id = $1`, [message, ...values]);
  const rewrite = () => change("content = 'as it is', rendered_content = '<p>as it is</p>'");

  it("is sent once by the notification bot, to its account only, as unread", async () => {
    const { db, org, gateway } = scene;
    const id = await remind(scene.as(account), message, { note: "mind @**all** <b>" });
    const [text] = await remindersOf(scene.as(account));
    const others = { own: { account }, other: { account: author } };
    const received = await watch(gateway, others, async () => {
      const notice = await deliverTo(id);
      expect(notice).to.deep.include({ sender_id: org.notificationBot.id, type: "private" });
      expect(notice.content).to.equal(text?.content);
      expect(notice.flags).to.deep.equal([]);
      const holders = await db.rows<{ id: number }>(
        "SELECT user_id AS id FROM user_messages WHERE message_id = $1",
        [notice.id],
      );
      const ids = holders.map((holder) => holder.id);
      expect(ids).to.have.members([account.id, org.notificationBot.id]);
      expect(await storedRow(db, id)).to.include({ deliveredMessageId: notice.id });
    });
    expect(kindsOf(received.own)).to.have.members(["message", "reminders/remove"]);
    expect(received.own.find(({ type }) => type === "reminders")).to.include({ reminder_id: id });
    expect(received.other).to.deep.equal([]);
    expect(await remindersOf(scene.as(account))).to.deep.equal([]);

    await deliver(db, org.realm);
    await db.rows(
      "UPDATE scheduled_messages SET delivered = false, delivered_message_id = NULL WHERE id = $1",
      [id],
    );
    await deliver(db, org.realm);
    expect(await notices()).to.have.length(1);
  });

  it("quotes the current text of the message", async () => {
    const id = await remind(scene.as(account), message);
    await rewrite();
    expect((await deliverTo(id)).content).to.match(/```quote\nas it is\n```$/);
  });

  it("names the current place of the message", async () => {
    const { db, org } = scene;
    const id = await remind(scene.as(account), message);
    const hall = await channel(db, org.realm, { name: "hall", subscribers: [author] });
    await change("topic = 'soup', recipient_id = $2", hall.recipientId);
    expect((await deliverTo(id)).content).to.contain(`#**hall>soup@${message}**`);
  });

  const lost: Record<string, () => Promise<unknown>> = {
    "has been deleted": () =>
      scene.as(author).succeed(deleteMessage, { path: { message_id: message } }),
    "has been moved out of sight": async () => {
      const { db, org } = scene;
      const closed = await channel(db, org.realm, { inviteOnly: true, subscribers: [author] });
      await rewrite();
      await change("recipient_id = $2", closed.recipientId);
    },
    "is in a channel that the account has left": async () => {
      await rewrite();
      await unsubscribe(scene.db, room, account);
    },
    "is one of another organization, by mistake": () => change("realm_id = realm_id + 1"),
  };
  for (const [what, lose] of Object.entries(lost))
    it(`quotes the text as of its creation if the message ${what}`, async () => {
      const id = await remind(scene.as(account), message, { note: "what was it?" });
      const [text] = await remindersOf(scene.as(account));
      await lose();
      const notice = await deliverTo(id);
      expect(notice.content).to.equal(text?.content).and.to.contain("as it was");
    });

  it("is sent up to seven days after its time", async () => {
    await deliverTo(await remind(scene.as(account), message), 7 * 86_400 - 60);
  });

  it("fails without a notice more than seven days after its time", async () => {
    const id = await remind(scene.as(account), message);
    await deliverNow(scene.db, scene.org.realm, [id], 7 * 86_400 + 60);
    expect(await storedRow(scene.db, id)).to.include({ delivered: false, failed: true });
    expect((await storedRow(scene.db, id))?.failureMessage).to.match(/seven days late/);
    expect(await notices()).to.deep.equal([]);
  });

  it("is sent from an archived channel, and about a direct message", async () => {
    const id = await remind(scene.as(account), message);
    await scene.db.rows("UPDATE channels SET is_archived = true WHERE id = $1", [room.id]);
    await rewrite();
    expect((await deliverTo(id)).content).to.contain("as it is");
    const direct = await send(scene.as(author), toUsers([account.id], { content: "psst" }));
    const second = await remind(scene.as(account), direct);
    await deliverNow(scene.db, scene.org.realm, [second]);
    expect((await notices()).at(-1)?.content).to.contain("psst");
  });

  it("fails without a notice for a deactivated account, and is listed as failed afterwards", async () => {
    const id = await remind(scene.as(account), message);
    await deactivateUser(scene.db, account);
    await failsSilently(scene, id);
    await scene.db.rows("UPDATE users SET is_active = true WHERE id = $1", [account.id]);
    expect((await remindersOf(scene.as(account))).map(({ failed }) => failed)).to.deep.equal([
      true,
    ]);
  });

  it("fails without a notice, and without affecting others, when it cannot be sent", async () => {
    const { db, org } = scene;
    const bad = await remind(scene.as(account), message, { note: "explosive" });
    const good = await remind(scene.as(account), message, { note: "harmless" });
    const text = await schedule(scene.as(account), channelMessage(room.id));
    await db.rows(
      `CREATE FUNCTION explode() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.content LIKE '%explosive%' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$`,
    );
    await db.rows(
      "CREATE TRIGGER explode BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION explode()",
    );
    try {
      const received = await watch(scene.gateway, { own: { account } }, () =>
        deliverNow(db, org.realm, [bad, good, text]),
      );
      const kinds = ["message", "reminders/remove", "message", "scheduled_messages/remove"];
      expect(kindsOf(received.own)).to.have.members(kinds);
    } finally {
      await db.rows("DROP FUNCTION explode CASCADE");
    }
    expect(await storedRow(db, bad)).to.include({ failed: true, delivered: false });
    expect((await storedRow(db, bad))?.failureMessage).to.match(/went wrong/);
    expect(await notices()).to.have.length(1);
    expect(await remindersOf(scene.as(account))).to.have.length(1);
  });

  it("is sent among messages of the same second in the order of creation", async () => {
    const { db, org } = scene;
    const client = scene.as(account);
    const first = await remind(client, message);
    const ids = [
      first,
      await schedule(client, channelMessage(room.id)),
      await remind(client, message),
      await schedule(client, directMessage([author.id])),
      await remind(client, message),
    ];
    await makeDue(db, first, -5);
    await db.rows(
      `UPDATE scheduled_messages SET deliver_at = (SELECT deliver_at FROM scheduled_messages WHERE id = $1)
       WHERE id = ANY($2::bigint[])`,
      [first, ids],
    );
    await deliver(db, org.realm);
    const sent = await db.rows<{ id: number }>(
      "SELECT scheduled_message_id AS id FROM messages WHERE scheduled_message_id = ANY($1::bigint[]) ORDER BY id",
      [ids],
    );
    expect(sent.map(({ id }) => id)).to.deep.equal(ids);
  });

  it("takes the same number of statements in a batch of many", async () => {
    const { db, org } = scene;
    const count = async (size: number) => {
      const ids = [];
      for (let i = 0; i < size; i++) {
        const by = i % 2 === 0 ? account : author;
        const about = await send(scene.as(author), toChannel(room.id, { content: `number ${i}` }));
        ids.push(await remind(scene.as(by), about, { note: "@_**all** #**x**" }));
      }
      for (const id of ids) await makeDue(db, id, -1);
      const { statements } = await countQueries(db, () => deliver(db, org.realm));
      return statements.length;
    };
    await count(1);
    const few = await count(2);
    expect(await count(6)).to.equal(few);
  });

  it("counts as unread", async () => {
    const id = await remind(scene.as(account), message);
    await deliverTo(id);
    const answer = await scene.as(account).post("/api/v1/register");
    const { unread_msgs: unread } = succeeded(answer) as {
      unread_msgs: { pms: ReadonlyArray<{ other_user_id: number }> };
    };
    const from = unread.pms.map(({ other_user_id }) => other_user_id);
    expect(from).to.deep.equal([scene.org.notificationBot.id]);
  });
});
