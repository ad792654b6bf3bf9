import {
  bot,
  refusedWith,
  scheduledMessage,
  scheduledMessagesPath,
  scheduledOf,
  succeeded,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Listing scheduled messages", () => {
  const scene = useScene();

  it("returns an empty list for an account without scheduled messages", async () => {
    const answer = await scene.as(scene.org.guest).get(scheduledMessagesPath);
    expect(succeeded(answer)).to.deep.equal({ result: "success", msg: "", scheduled_messages: [] });
  });

  it("orders by time, then by ID", async () => {
    const { db, org } = scene;
    const dues = [300, 100, 200, 100];
    const rows = [];
    for (const dueIn of dues)
      rows.push(await scheduledMessage(db, org.admin, [org.guest], { dueIn }));
    const at = rows[1]?.deliverAt ?? 0;
    await db.rows(
      "UPDATE scheduled_messages SET deliver_at = to_timestamp($2) WHERE id = ANY($1)",
      [[rows[1]?.id, rows[3]?.id], at],
    );
    const list = await scheduledOf(scene.as(org.admin));
    expect(list.map((record) => record.scheduled_message_id)).to.deep.equal([
      rows[1]?.id,
      rows[3]?.id,
      rows[2]?.id,
      rows[0]?.id,
    ]);
    expect(list[0]?.scheduled_delivery_timestamp).to.equal(at);
  });

  it("includes failed messages, and excludes delivered ones, reminders and those of others", async () => {
    const { db, org } = scene;
    const { moderator, guest } = org;
    const pending = await scheduledMessage(db, moderator, [guest], { dueIn: 100 });
    const failed = await scheduledMessage(db, moderator, [guest], {
      dueIn: -100,
      row: { failed: true, failureMessage: "No." },
    });
    await scheduledMessage(db, moderator, [guest], { row: { delivered: true } });
    const reminder = { kind: 2, reminderTargetMessageId: 1 };
    await scheduledMessage(db, moderator, [moderator], { row: reminder });
    await scheduledMessage(db, guest, [moderator]);
    const list = await scheduledOf(scene.as(moderator));
    expect(list.map((record) => [record.scheduled_message_id, record.failed])).to.deep.equal([
      [failed.id, true],
      [pending.id, false],
    ]);
    for (const record of list) {
      expect(record).to.have.all.keys(
        "scheduled_message_id",
        "type",
        "to",
        "content",
        "rendered_content",
        "scheduled_delivery_timestamp",
        "failed",
      );
    }
  });

  it("reports any parameter as unsupported", async () => {
    const answer = await scene.as(scene.org.owner).get(scheduledMessagesPath, { limit: 3 });
    expect(succeeded(answer)["ignored_parameters_unsupported"]).to.deep.equal(["limit"]);
  });

  it("requires credentials, and refuses bots that may only send", async () => {
    refusedWith(await scene.gateway.anonymous.get(scheduledMessagesPath), "UNAUTHORIZED");
    const webhook = await bot(scene.db, scene.org.member, { botType: 2 });
    refusedWith(await scene.as(webhook).get(scheduledMessagesPath), "UNAUTHORIZED");
  });
});
