import { deleteReminder, deleteScheduledMessage, editScheduledMessage } from "@carillon/contract";
import {
  channel,
  deliverNow,
  kindsOf,
  messagesOf,
  organization,
  refused,
  refusedWith,
  remind,
  remindersOf,
  schedule,
  channelMessage,
  scheduledMessage,
  scheduledOf,
  send,
  storedRow,
  type TestAccount,
  type TestChannel,
  toChannel,
  useScene,
  watch,
  withUsers,
} from "@carillon/testkit";
import { expect } from "chai";

describe("DELETE /reminders/{reminder_id}", () => {
  const scene = useScene();
  let member: TestAccount;
  let room: TestChannel;
  let message: number;
  let id: number;

  beforeEach(async () => {
    ({ member } = scene.org);
    room ??= await channel(scene.db, scene.org.realm, { subscribers: [member] });
    message ??= await send(scene.as(member), toChannel(room.id));
    id = await remind(scene.as(member), message);
  });

  const remove = (which: number | string, by = member) =>
    scene.as(by).call(deleteReminder, { path: { reminder_id: which } });
  const missing = (ask: () => ReturnType<typeof remove>) =>
    refused(scene.db, ask, "BAD_REQUEST", {}, 404);

  it("deletes the reminder with an event for the account, and nothing is sent", async () => {
    const received = await watch(scene.gateway, { own: { account: member } }, async () => {
      expect((await remove(id)).body).to.deep.equal({ result: "success", msg: "" });
    });
    expect(kindsOf(received.own)).to.deep.equal(["reminders/remove"]);
    expect(received.own[0]).to.include({ reminder_id: id });
    expect(await storedRow(scene.db, id)).to.equal(undefined);
    await missing(() => remove(id));
    await deliverNow(scene.db, scene.org.realm, [id]);
    const bot = withUsers(scene.org.notificationBot.id);
    expect(await messagesOf(scene.as(member), bot)).to.deep.equal([]);
  });

  it("answers 404 for unknown reminders, those of others, and scheduled messages", async () => {
    const { owner } = scene.org;
    const there = await organization(scene.db);
    const scheduled = await schedule(scene.as(member), channelMessage(room.id));
    for (const which of [0, 1_000_000_000, "9223372036854775808", "9".repeat(50), scheduled])
      await missing(() => remove(which));
    await missing(() => remove(id, owner));
    await missing(() => remove(id, there.owner));
    expect((await scheduledOf(scene.as(member))).length).to.be.greaterThan(0);
  });

  it("answers 404 for paths that are not numbers", async () => {
    for (const which of ["abc", "-1", "1.5"]) refusedWith(await remove(which), "NOT_FOUND");
  });

  it("deletes a failed one with an event, and a delivered one without, keeping its message", async () => {
    const { db, org } = scene;
    const row = { kind: 2, reminderTargetMessageId: message, failed: true };
    const failed = await scheduledMessage(db, member, [member], { row });
    await deliverNow(db, org.realm, [id]);
    const received = await watch(scene.gateway, { own: { account: member } }, async () => {
      for (const which of [failed.id, id]) expect((await remove(which)).status).to.equal(200);
    });
    expect(received.own.map(({ reminder_id }) => reminder_id)).to.deep.equal([failed.id]);
    const bot = withUsers(org.notificationBot.id);
    expect(await messagesOf(scene.as(member), bot)).to.have.length(1);
    await missing(() => remove(id));
  });

  it("is the only operation on reminders: those on scheduled messages do not find them", async () => {
    const before = await remindersOf(scene.as(member));
    const path = { scheduled_message_id: id };
    const ask = scene.as(member);
    await missing(() => ask.call(deleteScheduledMessage, { path }) as never);
    const params = { content: "hijacked", scheduled_delivery_timestamp: 4_102_444_800 };
    await missing(() => ask.call(editScheduledMessage, { path, params }) as never);
    expect(await remindersOf(scene.as(member))).to.deep.equal(before);
    const listed = (await scheduledOf(ask)).map((record) => record.scheduled_message_id);
    expect(listed).not.to.include(id);
  });

  it("reports unsupported parameters", async () => {
    const options = { path: { reminder_id: id }, params: { why: "done" } };
    const { body } = await scene.as(member).call(deleteReminder, options);
    expect(body).to.deep.include({ ignored_parameters_unsupported: ["why"] });
  });
});
