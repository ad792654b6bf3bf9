import {
  type Answer,
  channel,
  countWaiting,
  deliver,
  directRecipient,
  messagesOf,
  scheduledMessage,
  scheduledMessagesPath,
  storedRow,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  useScene,
  waitFor,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

describe("A scheduled message during an uncommitted edit of its recipient", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
  });

  /** Runs `work` during an uncommitted edit that turns the row into a direct message. */
  const duringEdit = async <T>(id: number, work: () => Promise<T>): Promise<T> => {
    const { db, org } = scene;
    const recipientId = await directRecipient(db, org.realm.id, [sender, org.admin]);
    let working: Promise<T> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows(
        `UPDATE scheduled_messages SET recipient_id = $2, channel_id = NULL, topic = '', version = version + 1
         WHERE id = $1`,
        [id, recipientId],
      );
      working = work();
      await waitFor(async () => (await countWaiting(db.pool)) > 0, {
        what: "somebody waits for the row",
      });
    });
    return working!;
  };

  it("is deleted after the edit", async () => {
    const { id } = await scheduledMessage(scene.db, sender, room, { dueIn: 3_600 });
    const answer: Answer = await duringEdit(id, () =>
      scene.as(sender).delete(`${scheduledMessagesPath}/${id}`),
    );
    succeededWithoutFields(answer);
    expect(await storedRow(scene.db, id)).to.equal(undefined);
  });

  it("is edited from the result of the first edit", async () => {
    const { id } = await scheduledMessage(scene.db, sender, room, { dueIn: 3_600 });
    const edit = () =>
      scene.as(sender).patch(`${scheduledMessagesPath}/${id}`, { content: "the second edit" });
    succeededWithoutFields(await duringEdit(id, edit));
    const rows = await scene.db.rows(
      `SELECT channel_id AS "channelId", content, version FROM scheduled_messages WHERE id = $1`,
      [id],
    );
    expect(rows).to.deep.equal([{ channelId: null, content: "the second edit", version: 3 }]);
  });

  it("is delivered to the new recipient", async () => {
    const content = "first in the line";
    const { db, org } = scene;
    const { id } = await scheduledMessage(db, sender, room, { dueIn: -5, content });
    await scheduledMessage(db, sender, [org.admin], { dueIn: -4, content: "second" });
    await duringEdit(id, () => deliver(db, org.realm));
    const sent = await messagesOf(scene.as(sender), withUsers(org.admin.id));
    expect(sent.map((message) => message.content)).to.deep.equal([content, "second"]);
  });
});
