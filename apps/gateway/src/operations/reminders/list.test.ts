import { listReminders, register } from "@carillon/contract";
import {
  bot,
  channel,
  channelMessage,
  inSeconds,
  makeDue,
  refusedWith,
  remind,
  remindersOf,
  schedule,
  scheduledMessage,
  send,
  type TestAccount,
  toChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("GET /reminders", () => {
  const scene = useScene();
  const list = (by: TestAccount) => scene.as(by).call(listReminders, {});

  it("returns an empty list for an account without reminders", async () => {
    expect((await list(scene.org.guest)).body).to.deep.equal({
      result: "success",
      msg: "",
      reminders: [],
    });
  });

  it("orders by time, then by ID, includes failed ones, and equals the snapshot", async () => {
    const { db, org } = scene;
    const { moderator, owner } = org;
    const room = await channel(db, org.realm, { subscribers: [moderator] });
    const message = await send(scene.as(moderator), toChannel(room.id));
    const at = inSeconds(500);
    const ids = [];
    for (const time of [at + 200, at, at + 100, at]) {
      const over = { scheduled_delivery_timestamp: time };
      ids.push(await remind(scene.as(moderator), message, over));
    }
    const row = { kind: 2, reminderTargetMessageId: message };
    const failed = await scheduledMessage(db, moderator, [moderator], {
      dueIn: -100,
      row: { ...row, failed: true, failureMessage: "No." },
    });
    await scheduledMessage(db, moderator, [moderator], { row: { ...row, delivered: true } });
    await scheduledMessage(db, owner, [owner], { row });
    await schedule(scene.as(moderator), channelMessage(room.id));
    const listed = await remindersOf(scene.as(moderator));
    expect(listed.map((one) => [one.reminder_id, one.failed])).to.deep.equal([
      [failed.id, true],
      [ids[1], false],
      [ids[3], false],
      [ids[2], false],
      [ids[0], false],
    ]);
    for (const one of listed)
      expect(one).to.have.all.keys(
        "reminder_id",
        "type",
        "to",
        "content",
        "rendered_content",
        "scheduled_delivery_timestamp",
        "failed",
        "reminder_target_message_id",
      );
    const params = { fetch_event_types: ["reminders"] };
    const { body } = await scene.as(moderator).call(register, { params });
    expect(Object(body)["reminders"]).to.deep.equal(listed);
  });

  it("refuses requests without credentials and bots that may only send", async () => {
    refusedWith(await scene.gateway.anonymous.get("/api/v1/reminders"), "UNAUTHORIZED");
    const webhook = await bot(scene.db, scene.org.member, { botType: 2 });
    refusedWith(await list(webhook), "UNAUTHORIZED");
  });

  it("returns the account's own reminders only", async () => {
    const { member, admin } = scene.org;
    const room = await channel(scene.db, scene.org.realm, { subscribers: [member, admin] });
    const message = await send(scene.as(member), toChannel(room.id));
    const id = await remind(scene.as(member), message);
    await makeDue(scene.db, id, 60);
    expect(await remindersOf(scene.as(admin))).to.deep.equal([]);
  });
});
