import {
  changeChannel,
  channel,
  deliverNow,
  inChannel,
  inSeconds,
  messagesOf,
  type Params,
  recordOf,
  refusedWith,
  scheduledMessage,
  scheduledMessagesPath,
  storedRow,
  succeeded,
  succeededWithoutFields,
  type TestAccount,
  type TestChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("A scheduled message that has failed", () => {
  const scene = useScene();
  let sender: TestAccount;
  let client: ReturnType<typeof scene.as>;
  let room: TestChannel;
  let id: number;

  beforeEach(async () => {
    sender = scene.org.member;
    client = scene.as(sender);
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
    const row = { failed: true, failureMessage: "It did not work." };
    ({ id } = await scheduledMessage(scene.db, sender, room, {
      row,
      content: "again",
      dueIn: -60,
    }));
  });

  const edit = (params: Params) => client.patch(`${scheduledMessagesPath}/${id}`, params);

  it("is listed with its reason for its sender only, until it is scheduled again", async () => {
    const reasonFor = async (account: TestAccount) => {
      const { failures } = succeeded(
        await scene.as(account).get(`${scheduledMessagesPath}/failures`),
      ) as { failures: ReadonlyArray<{ scheduled_message_id: number; reason: string }> };
      return failures.find((failure) => failure.scheduled_message_id === id);
    };
    expect(await reasonFor(sender)).to.deep.equal({
      scheduled_message_id: id,
      reason: "It did not work.",
      failed_timestamp: null,
    });
    expect(await reasonFor(scene.org.owner)).to.equal(undefined);
    succeededWithoutFields(await edit({ scheduled_delivery_timestamp: inSeconds(3_600) }));
    expect(await reasonFor(sender)).to.equal(undefined);
  });

  it("is listed with the time at which its delivery failed", async () => {
    const late = await scheduledMessage(scene.db, sender, room, {});
    await deliverNow(scene.db, scene.org.realm, [late.id], 700);
    const { failures } = succeeded(await client.get(`${scheduledMessagesPath}/failures`)) as {
      failures: ReadonlyArray<{
        scheduled_message_id: number;
        reason: string;
        failed_timestamp: number;
      }>;
    };
    const failure = failures.find((one) => one.scheduled_message_id === late.id);
    expect(failure?.reason).to.match(/more than ten minutes/);
    expect(failure?.failed_timestamp).to.be.closeTo(inSeconds(0), 120);
  });

  it("refuses an edit without a time (7)", async () => {
    for (const params of [
      { content: "x" },
      { topic: "x" },
      { to: room.id },
      { type: "channel", to: room.id, topic: "x" },
    ]) {
      refusedWith(await edit(params));
    }
    refusedWith(await edit({ to: 2_000_000_000 }));
    expect((await recordOf(client, id)).failed).to.equal(true);
    expect((await storedRow(scene.db, id))?.version).to.equal(1);
  });

  it("is scheduled again by a new time, and sent then", async () => {
    const at = inSeconds(3_600);
    succeededWithoutFields(await edit({ scheduled_delivery_timestamp: at }));
    expect(await recordOf(client, id)).to.include({
      failed: false,
      content: "again",
      scheduled_delivery_timestamp: at,
    });
    const row = await storedRow(scene.db, id);
    expect(row).to.include({ failed: false, failureMessage: null, version: 2, delivered: false });
    await deliverNow(scene.db, scene.org.realm, [id]);
    const sent = await messagesOf(client, inChannel(room.id));
    expect(sent.map(({ content }) => content)).to.deep.equal(["again"]);
  });

  it("is scheduled again with other changes in the same request", async () => {
    const time = { scheduled_delivery_timestamp: inSeconds(3_600) };
    succeededWithoutFields(await edit({ ...time, content: "better", topic: "other" }));
    const record = await recordOf(client, id);
    expect(record).to.include({ failed: false, content: "better", topic: "other" });
  });

  it("remains failed if the edit is refused", async () => {
    await changeChannel(scene.db, room, { isArchived: true });
    const time = { scheduled_delivery_timestamp: inSeconds(3_600) };
    refusedWith(await edit({ ...time, content: "x" }));
    refusedWith(await edit({ scheduled_delivery_timestamp: 1 }));
    const row = await storedRow(scene.db, id);
    expect(row).to.include({ failed: true, failureMessage: "It did not work.", version: 1 });
  });

  it("may be rescheduled while it still cannot be sent, and fails again", async () => {
    await changeChannel(scene.db, room, { isArchived: true });
    succeededWithoutFields(await edit({ scheduled_delivery_timestamp: inSeconds(3_600) }));
    expect((await recordOf(client, id)).failed).to.equal(false);
    await deliverNow(scene.db, scene.org.realm, [id]);
    expect((await recordOf(client, id)).failed).to.equal(true);
  });
});
