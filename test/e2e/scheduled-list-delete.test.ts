import {
  bot,
  channel,
  eventsOf,
  organization,
  scheduledMessage,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import { missing, refusedWith, succeeded, succeededWithoutFields } from "./support/answers.ts";
import { deliverNow, inChannel, messagesOf } from "./support/delivery.ts";
import { useScene } from "./support/scene.ts";
import {
  channelMessage,
  footprint,
  listed,
  path,
  schedule,
  storedRow,
} from "./support/scheduling.ts";

describe("Listing scheduled messages", () => {
  const scene = useScene();

  it("answers an empty list to an account that has none", async () => {
    const answer = await scene.as(scene.org.guest).get(path);
    expect(succeeded(answer)).to.deep.equal({ result: "success", msg: "", scheduled_messages: [] });
  });

  it("goes by time, then by id", async () => {
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
    const list = await listed(scene.as(org.admin));
    expect(list.map((record) => record.scheduled_message_id)).to.deep.equal([
      rows[1]?.id,
      rows[3]?.id,
      rows[2]?.id,
      rows[0]?.id,
    ]);
    expect(list[0]?.scheduled_delivery_timestamp).to.equal(at);
  });

  it("has failed ones, and neither delivered ones nor reminders nor others'", async () => {
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
    const list = await listed(scene.as(moderator));
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

  it("takes no parameters, and says so", async () => {
    const answer = await scene.as(scene.org.owner).get(path, { limit: 3 });
    expect(succeeded(answer)["ignored_parameters_unsupported"]).to.deep.equal(["limit"]);
  });

  it("needs credentials, and is closed to bots that may only send", async () => {
    refusedWith(await scene.gateway.anonymous.get(path), "UNAUTHORIZED", {}, 401);
    const webhook = await bot(scene.db, scene.org.member, { botType: 2 });
    refusedWith(await scene.as(webhook).get(path), "UNAUTHORIZED", {}, 401);
  });
});

describe("Deleting a scheduled message", () => {
  const scene = useScene();
  let sender: TestAccount;
  let client: ReturnType<typeof scene.as>;
  let room: TestChannel;
  let id: number;

  beforeEach(async () => {
    sender = scene.org.member;
    client = scene.as(sender);
    room ??= await channel(scene.db, scene.org.realm, { subscribers: [sender] });
    id = await schedule(client, channelMessage(room.id));
  });

  const remove = (which: number | string) => client.delete(`${path}/${which}`);

  it("removes the row, and nothing is sent", async () => {
    succeededWithoutFields(await remove(id));
    expect(await storedRow(scene.db, id)).to.equal(undefined);
    missing(await remove(id));
    await deliverNow(scene.db, scene.org.realm, [id]);
    expect(await messagesOf(client, inChannel(room.id))).to.deep.equal([]);
  });

  it("answers 404 for what is not there or somebody else's", async () => {
    for (const which of [0, 1_000_000_000, "9223372036854775808", "9".repeat(50)]) {
      missing(await remove(which));
    }
    const before = await footprint(scene.db, sender.realmId);
    missing(await scene.as(scene.org.owner).delete(`${path}/${id}`));
    missing(await scene.as((await organization(scene.db)).owner).delete(`${path}/${id}`));
    const row = { kind: 2, reminderTargetMessageId: 1 };
    const reminder = await scheduledMessage(scene.db, sender, [sender], { row });
    missing(await remove(reminder.id));
    expect(await storedRow(scene.db, reminder.id)).not.to.equal(undefined);
    expect(await footprint(scene.db, sender.realmId)).to.deep.equal({
      ...before,
      scheduled: (before as { scheduled: number }).scheduled + 1,
    });
  });

  it("is no path for what is no number", async () => {
    for (const which of ["abc", "-1", "1.5"])
      refusedWith(await remove(which), "NOT_FOUND", {}, 404);
  });

  it("removes a failed row", async () => {
    const row = { failed: true, failureMessage: "No." };
    const failed = await scheduledMessage(scene.db, sender, room, { row });
    succeededWithoutFields(await remove(failed.id));
    expect(await storedRow(scene.db, failed.id)).to.equal(undefined);
  });

  it("removes a delivered row; the message stays", async () => {
    await deliverNow(scene.db, scene.org.realm, [id]);
    const sent = await messagesOf(client, inChannel(room.id));
    expect(sent).to.have.length(1);
    const { result, events } = await eventsOf(scene.db, scene.org.realm.id, () => remove(id));
    succeededWithoutFields(result);
    expect(events, "clients were told with the delivery").to.deep.equal([]);
    expect(await storedRow(scene.db, id)).to.equal(undefined);
    expect(await messagesOf(client, inChannel(room.id))).to.deep.equal(sent);
    missing(await remove(id));
  });

  it("reports parameters that it does not know", async () => {
    const answer = await client.delete(`${path}/${id}`, { why: "changed my mind" });
    expect(succeeded(answer)["ignored_parameters_unsupported"]).to.deep.equal(["why"]);
  });
});
