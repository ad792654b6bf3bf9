import {
  deactivateUser,
  editMessageSeries,
  editScheduledMessage,
  reactivateUser,
} from "@carillon/contract";
import { lockClass } from "@carillon/db";
import { deliverDue } from "@carillon/jobs";
import { deliveryScheduled } from "@carillon/scheduling";
import {
  changeChannel,
  channel,
  createdSeries,
  dailySeries,
  deliver,
  deliverNow,
  deliverPlanned,
  dueSeries,
  eventsOf,
  inChannel,
  makeDue,
  messagesOf,
  movePlanned,
  noticesTo,
  type Params,
  runJob,
  runsOf,
  scheduledOf,
  seriesOf,
  type TestAccount,
  type TestChannel,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const day = 86_400;

/** Parameters of a series whose time of day was the given number of minutes ago, in UTC. */
function minutesAgo(minutes: number): Params {
  const time = new Date(Date.now() - minutes * 60_000).toISOString().slice(11, 19);
  return { start: `${new Date().getUTCFullYear() - 1}-01-01T${time}` };
}

describe("the delivery of series", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let room: TestChannel;
  let author: TestAccount;
  let manager: TestAccount;

  beforeEach(async () => {
    const { db, org } = scene;
    author = await user(db, org.realm);
    manager = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [author, manager, org.guest] });
  });

  const create = (over: Params = {}) => createdSeries(scene.as(author), dailySeries(room.id, over));
  const read = (id: number, by = author) => seriesOf(scene.as(by), id);
  const sent = () => messagesOf(scene.as(scene.org.guest), inChannel(room.id));
  const notices = (to = author) => noticesTo(scene.as(to), scene.org.notificationBot);
  const outcomes = async (id: number, by = author) =>
    (await runsOf(scene.as(by), id)).map(({ outcome }) => outcome);

  const deliverNext = (id: number, by = author) =>
    deliverPlanned(scene.db, scene.org.realm, scene.as(by), id);
  /** The entries about the series in the audit log, without `message_series_`. */
  const audited = async (id: number) => {
    const rows = await scene.db.rows<{ type: string }>(
      `SELECT replace(event_type, 'message_series_', '') AS type FROM audit_log
       WHERE event_type LIKE 'message_series_%' AND (extra_data->>'series_id')::int = $1 ORDER BY id`,
      [id],
    );
    return rows.map(({ type }) => type);
  };
  const failures = async () => {
    const [row] = await scene.db.rows<{ count: number }>(
      "SELECT count(*)::int AS count FROM delivery_failures WHERE sender_id = $1",
      [author.id],
    );
    return row?.count;
  };

  it("sends an occurrence, records it and plans the next one", async () => {
    const id = await create();
    const before = await read(id);
    await deliverNext(id);
    const messages = await sent();
    expect(messages.map(({ content, subject }) => [content, subject])).to.deep.equal([
      ["What do you do today?", "stand-up"],
    ]);
    const after = await read(id);
    expect(after).to.include({ state: "active", sent_count: 1, consecutive_failures: 0 });
    expect(after.next_scheduled_message_id).not.to.equal(before.next_scheduled_message_id);
    expect(after.next_delivery_timestamp).to.equal(Number(before.next_delivery_timestamp) + day);
    expect(await runsOf(scene.as(author), id)).to.deep.equal([
      {
        occurrence: before.next_occurrence,
        outcome: "sent",
        message_id: messages[0]?.id,
        reason: null,
      },
    ]);
    expect(
      (await scheduledOf(scene.as(author))).map((row) => row.scheduled_message_id),
    ).to.deep.equal([after.next_scheduled_message_id]);
    expect(await notices()).to.deep.equal([]);
  });

  it("inserts the next occurrence as having its delivery job only if the queue has the job of its second", async () => {
    const scheduled: number[] = [];
    const subscribed = scene.db.postCommit.subscribe(deliveryScheduled, ({ deliverAt }) =>
      scheduled.push(deliverAt),
    );
    const ids = [await create({ start: "2026-01-01T08:00" }), await create()];
    const planned = await Promise.all(ids.map((id) => read(id)));
    for (const { next_scheduled_message_id: id } of planned) await makeDue(scene.db, id!, -1);
    const next = planned.map(({ next_delivery_timestamp: time }) => time! + day);
    scheduled.length = 0;
    await runJob(
      scene.db,
      deliverDue,
      { realmId: scene.org.realm.id, second: Math.floor(Date.now() / 1_000) - 1 },
      {
        services: {
          hasDeliveryJob: (realmId, deliverAt) =>
            realmId === scene.org.realm.id && deliverAt === next[0],
        },
      },
    );
    subscribed();
    const rows = await scene.db.rows<{ hasJob: boolean; deliverAt: number }>(
      `SELECT alarmed_at IS NOT NULL AS "hasJob", extract(epoch FROM deliver_at)::float8 AS "deliverAt"
       FROM scheduled_messages WHERE sender_id = $1 AND NOT delivered ORDER BY alarmed_at`,
      [author.id],
    );
    expect(rows).to.deep.equal([
      { hasJob: true, deliverAt: next[0] },
      { hasJob: false, deliverAt: next[1] },
    ]);
    expect(scheduled).to.deep.equal([next[1]]);
  });

  it("expands the template of each occurrence, and ends the series after the last one", async () => {
    const nextYear = new Date().getUTCFullYear() + 1;
    const id = await create({
      start: `${nextYear}-03-01T09:00`,
      rrule: "FREQ=DAILY;COUNT=2",
      content: "{n} on {date}",
      template: true,
    });
    await deliverNext(id);
    await deliverNext(id);
    expect((await sent()).map(({ content }) => content)).to.deep.equal([
      `1 on ${nextYear}-03-01`,
      `2 on ${nextYear}-03-02`,
    ]);
    expect(await read(id)).to.include({ state: "ended", next_occurrence: null, sent_count: 2 });
    expect(await audited(id)).to.deep.equal(["created", "ended"]);
  });

  it("does not send an occurrence that has a run with outcome sent", async () => {
    const id = await create();
    const { next_occurrence: date } = await read(id);
    await scene.db.rows(
      "INSERT INTO series_runs (series_id, occurrence, outcome) VALUES ($1, $2::text::date, 'sent')",
      [id, date],
    );
    await deliverNext(id);
    expect(await sent()).to.deep.equal([]);
    const after = await read(id);
    expect(String(after.next_occurrence) > String(date)).to.equal(true);
    expect(await scheduledOf(scene.as(author))).to.have.length(1);
  });

  it("plans the next occurrence after one that fails, and pauses the series after five in a row", async () => {
    const id = await create();
    await changeChannel(scene.db, room, { isArchived: true });
    for (let failed = 1; failed <= 4; failed++) {
      await deliverNext(id);
      expect(await read(id)).to.include({ state: "active", consecutive_failures: failed });
    }
    await deliverNext(id);
    expect(await read(id)).to.include({
      state: "paused",
      paused_reason: "failures",
      consecutive_failures: 5,
      next_occurrence: null,
    });
    const received = await notices();
    expect(received).to.have.length(5);
    expect(received.at(-1)?.content).to.include("five occurrences in a row");
    expect(received[0]?.content).to.include("The next occurrence of the series is sent at");
    expect(await outcomes(id)).to.deep.equal(["failed", "failed", "failed", "failed", "failed"]);
    const rows = await scheduledOf(scene.as(author));
    expect(rows.map(({ failed }) => failed)).to.deep.equal([true, true, true, true, true]);
  });

  it("resets consecutive_failures when an occurrence is sent", async () => {
    const id = await create();
    await changeChannel(scene.db, room, { isArchived: true });
    await deliverNext(id);
    await changeChannel(scene.db, room, { isArchived: false });
    await deliverNext(id);
    expect(await read(id)).to.include({ consecutive_failures: 0, sent_count: 1 });
  });

  it("sends a failed occurrence at its new time, and keeps the next one planned", async () => {
    const id = await create();
    await changeChannel(scene.db, room, { isArchived: true });
    await deliverNext(id);
    await changeChannel(scene.db, room, { isArchived: false });
    const rows = await scheduledOf(scene.as(author));
    const failed = rows.find((row) => row.failed)?.scheduled_message_id ?? 0;
    const answer = await scene.as(author).patch(`/api/v1/scheduled_messages/${failed}`, {
      scheduled_delivery_timestamp: 4_102_448_400,
    });
    expect(answer.status).to.equal(200);
    expect(await scheduledOf(scene.as(author))).to.have.length(2);
    await deliverNow(scene.db, scene.org.realm, [failed]);
    expect(await outcomes(id)).to.deep.equal(["sent"]);
    expect(await sent()).to.have.length(1);
  });

  it("sends an edited occurrence as edited, and the next one unchanged", async () => {
    const id = await create();
    const { next_scheduled_message_id: planned } = await read(id);
    await scene.as(author).patch(`/api/v1/scheduled_messages/${planned}`, { content: "Only now" });
    await deliverNow(scene.db, scene.org.realm, [planned ?? 0]);
    await deliverNext(id);
    expect((await sent()).map(({ content }) => content)).to.deep.equal([
      "Only now",
      "What do you do today?",
    ]);
    expect(await outcomes(id)).to.deep.equal(["sent", "sent"]);
    expect(await read(id)).to.include({ sent_count: 2 });
    expect(await audited(id)).to.deep.equal(["created", "occurrence_changed"]);
  });

  it("tells clients of the next occurrence that stays planned when an edited one is sent", async () => {
    const id = await create();
    const { next_scheduled_message_id: edited } = await read(id);
    await scene.as(author).patch(`/api/v1/scheduled_messages/${edited}`, { content: "Only now" });
    const { next_scheduled_message_id: planned } = await read(id);
    const { events } = await eventsOf(scene.db, scene.org.realm.id, () =>
      deliverNow(scene.db, scene.org.realm, [edited ?? 0]),
    );
    const updates = events.filter(({ type, op }) => type === "message_series" && op === "update");
    expect(planned).to.be.above(edited ?? 0);
    expect(updates.map(({ payload }) => payload["message_series"])).to.deep.equal([await read(id)]);
    expect(await read(id)).to.include({ next_scheduled_message_id: planned, sent_count: 1 });
  });

  it("sends nothing after days without a worker if the last occurrence is too late", async () => {
    const id = await create(minutesAgo(60));
    await movePlanned(scene.db, id, { days: 4 });
    const { next_occurrence: first } = await read(id);
    await deliver(scene.db, scene.org.realm);
    expect(await sent()).to.deep.equal([]);
    expect(await outcomes(id)).to.deep.equal(["missed", "missed", "missed", "missed"]);
    const [received, ...more] = await notices();
    expect(more).to.deep.equal([]);
    expect(received?.content).to.include("4 occurrences were missed").and.to.include(String(first));
    expect(await failures()).to.equal(1);
    const after = await read(id);
    expect(after).to.include({ state: "active", consecutive_failures: 0 });
    expect(Number(after.next_delivery_timestamp)).to.be.above(Date.now() / 1_000);
  });

  it("names the first five dates that were missed, and the next time, in the notice", async () => {
    const id = await create(minutesAgo(60));
    await movePlanned(scene.db, id, { days: 7 });
    const { next_occurrence: first } = await read(id);
    await deliver(scene.db, scene.org.realm);
    const dates = Array.from({ length: 5 }, (_, n) =>
      new Date(Date.parse(first!) + n * day * 1_000).toISOString().slice(0, 10),
    );
    const [received, ...more] = await notices();
    expect(more).to.deep.equal([]);
    const { next_delivery_timestamp: next } = await read(id);
    expect(received?.content)
      .to.include(`7 occurrences were missed (${dates.join(", ")}, …).`)
      .and.to.include(`<time:${new Date(next! * 1_000).toISOString().slice(0, 19)}`);
  });

  it("sends only the latest occurrence after days without a worker", async () => {
    const id = await create({ ...minutesAgo(60), catch_up_seconds: 7_200 });
    await movePlanned(scene.db, id, { days: 4 });
    await deliver(scene.db, scene.org.realm);
    expect(await sent()).to.have.length(1);
    expect(await outcomes(id)).to.deep.equal(["sent", "missed", "missed", "missed"]);
    expect(await notices()).to.have.length(1);
    expect(await failures()).to.equal(1);
    expect(Number((await read(id)).next_delivery_timestamp)).to.be.above(Date.now() / 1_000);
  });

  it("reports the occurrences that were missed after one that was withheld", async () => {
    const id = await create({ ...minutesAgo(60), unless: [{ kind: "check_in" }] });
    const checkedIn = await scene.as(author).post(`/api/v1/message_series/${id}/check_in`);
    expect(checkedIn.status, checkedIn.text).to.equal(200);
    await movePlanned(scene.db, id, { days: 4 });
    await deliver(scene.db, scene.org.realm);
    expect(await sent()).to.deep.equal([]);
    expect(await outcomes(id)).to.deep.equal(["missed", "missed", "missed", "withheld"]);
    const [received, ...more] = await notices();
    expect(more).to.deep.equal([]);
    expect(received?.content).to.include("3 occurrences were missed");
    expect(await failures()).to.equal(1);
    expect(Number((await read(id)).next_delivery_timestamp)).to.be.above(Date.now() / 1_000);
  });

  it("sends an occurrence that is up to a minute late, even if catch_up_seconds is 0", async () => {
    const id = await create({ catch_up_seconds: 0 });
    const { next_scheduled_message_id: planned } = await read(id);
    await makeDue(scene.db, planned ?? 0, -30);
    await deliver(scene.db, scene.org.realm);
    expect(await outcomes(id)).to.deep.equal(["sent"]);
  });

  describe("edited while an occurrence is due", () => {
    /** Moves the time of day of a series to so many minutes earlier. */
    const moveBy = async (id: number, minutes: number) => {
      const { start } = await read(id);
      const moved = new Date(Date.parse(`${start}Z`) - minutes * 60_000).toISOString().slice(0, 19);
      await scene
        .as(author)
        .succeed(editMessageSeries, { path: { series_id: id }, params: { start: moved } });
    };
    const due = () => dueSeries(scene.db, scene.as(author), dailySeries(room.id));

    it("sends it if its new time of the day is not too late", async () => {
      const { id, date } = await due();
      await moveBy(id, 5);
      expect(await read(id)).to.include({ next_occurrence: date });
      await deliver(scene.db, scene.org.realm);
      expect(await sent()).to.have.length(1);
      expect(await outcomes(id)).to.deep.equal(["sent"]);
    });

    it("records that it was missed if its new time is too late", async () => {
      const { id, date } = await due();
      await moveBy(id, 120);
      await deliver(scene.db, scene.org.realm);
      expect(await sent()).to.deep.equal([]);
      const [run, ...more] = await runsOf(scene.as(author), id);
      expect(more).to.deep.equal([]);
      expect(run).to.include({ occurrence: date, outcome: "missed" });
      expect(String((await read(id)).next_occurrence) > date).to.equal(true);
    });

    it("does not send it twice at an earlier time", async () => {
      const { id } = await due();
      await deliver(scene.db, scene.org.realm);
      await moveBy(id, 5);
      await deliver(scene.db, scene.org.realm);
      expect(await sent()).to.have.length(1);
      expect(await outcomes(id)).to.deep.equal(["sent"]);
    });

    it("leaves out one that is not due yet and whose new time is past, without a run", async () => {
      const { id, date } = await due();
      await scene.db.rows(
        "UPDATE scheduled_messages SET deliver_at = deliver_at + interval '1 hour' WHERE series_id = $1",
        [id],
      );
      await moveBy(id, 5);
      await deliver(scene.db, scene.org.realm);
      expect(await sent()).to.deep.equal([]);
      expect(await outcomes(id)).to.deep.equal([]);
      expect(String((await read(id)).next_occurrence) > date).to.equal(true);
    });
  });

  it("sends the due occurrence and pauses the series if its time zone no longer exists", async () => {
    const id = await create();
    await scene.db.rows("UPDATE message_series SET timezone = 'Gone/Zone' WHERE id = $1", [id]);
    await deliverNext(id);
    expect(await sent()).to.have.length(1);
    expect(await read(id)).to.include({ state: "paused", paused_reason: "rule" });
    const [received, ...more] = await notices();
    expect(more).to.deep.equal([]);
    expect(received?.content).to.include("its rule or its time zone");
  });

  it("pauses with the same notice if its next occurrence is changed by itself meanwhile", async () => {
    const id = await create();
    const { next_scheduled_message_id: planned } = await read(id);
    await scene.db.rows("UPDATE message_series SET timezone = 'Gone/Zone' WHERE id = $1", [id]);
    await scene.as(author).succeed(editScheduledMessage, {
      path: { scheduled_message_id: planned ?? 0 },
      params: { content: "Only today" },
    });
    expect(await read(id)).to.include({ state: "paused", paused_reason: "rule" });
    const [told, ...more] = await notices();
    expect(more).to.deep.equal([]);
    expect(told?.content).to.include("its rule or its time zone");
    await deliverNow(scene.db, scene.org.realm, [planned ?? 0]);
    expect(await sent()).to.have.length(1);
  });

  describe("of a deactivated author", () => {
    const deactivate = () =>
      scene.as(scene.org.owner).succeed(deactivateUser, { path: { user_id: author.id } });
    const managed = () => ({
      can_manage_group: { direct_members: [manager.id], direct_subgroups: [] },
    });

    it("pauses the series without a notice, and resumes it when the account is reactivated", async () => {
      const id = await create();
      const { next_scheduled_message_id: planned } = await read(id);
      await deactivate();
      await deliverNow(scene.db, scene.org.realm, [planned ?? 0]);
      expect(await sent()).to.deep.equal([]);
      expect(await read(id, scene.org.admin)).to.include({
        state: "paused",
        paused_reason: "author_deactivated",
        consecutive_failures: 0,
      });
      expect(await outcomes(id, scene.org.admin)).to.deep.equal(["failed"]);
      await scene.as(scene.org.owner).succeed(reactivateUser, { path: { user_id: author.id } });
      const after = await read(id, scene.org.admin);
      expect(after).to.include({ state: "active", paused_reason: null });
      expect(Number(after.next_delivery_timestamp)).to.be.above(Date.now() / 1_000);
      await deliverNext(id, scene.org.admin);
      expect(await sent()).to.have.length(1);
    });

    it("pauses with one run that says why after days without a worker, and makes up for nothing", async () => {
      for (const more of [{}, { catch_up_seconds: 7_200 }]) {
        const id = await create({ ...minutesAgo(60), ...more });
        await movePlanned(scene.db, id, { days: 4 });
        await deactivate();
        await deliver(scene.db, scene.org.realm);
        expect(await read(id, scene.org.admin)).to.include({
          state: "paused",
          paused_reason: "author_deactivated",
          consecutive_failures: 0,
        });
        const runs = await runsOf(scene.as(scene.org.admin), id);
        expect(runs).to.have.length(1);
        expect(runs[0]).to.include({
          outcome: "failed",
          reason: "The sender's account was deactivated.",
        });
        await scene.as(scene.org.owner).succeed(reactivateUser, { path: { user_id: author.id } });
        const after = await read(id, scene.org.admin);
        expect(after).to.include({ state: "active" });
        expect(Number(after.next_delivery_timestamp)).to.be.above(Date.now() / 1_000);
        expect(await outcomes(id, scene.org.admin)).to.deep.equal(["failed"]);
      }
      expect(await sent()).to.deep.equal([]);
    });

    it("misses what is overtaken where managers keep the series, and the bot sends the latest", async () => {
      const id = await create({ ...minutesAgo(60), ...managed(), catch_up_seconds: 7_200 });
      await movePlanned(scene.db, id, { days: 4 });
      await deactivate();
      await deliver(scene.db, scene.org.realm);
      expect(await sent()).to.have.length(1);
      expect(await outcomes(id, manager)).to.deep.equal(["sent", "missed", "missed", "missed"]);
      expect(await read(id, manager)).to.include({ state: "active" });
    });

    it("sends occurrences by the notification bot if the series has managers, and notifies them once", async () => {
      const id = await create({
        ...managed(),
        content: `Ask @**${manager.fullName}|${manager.id}**`,
      });
      const { next_scheduled_message_id: planned } = await read(id);
      await deactivate();
      await deliverNow(scene.db, scene.org.realm, [planned ?? 0]);
      await deliverNext(id, manager);
      const messages = await messagesOf(scene.as(manager), inChannel(room.id));
      expect(messages.map(({ sender_id }) => sender_id)).to.deep.equal([
        scene.org.notificationBot.id,
        scene.org.notificationBot.id,
      ]);
      for (const { content, flags } of messages) {
        expect(content).to.match(
          /^Ask .*\n\nThis is a message series of @_\*\*.*\*\*, whose account is deactivated\.$/s,
        );
        expect(flags).not.to.include("mentioned");
      }
      const received = await notices(manager);
      expect(received).to.have.length(1);
      expect(received[0]?.content).to.include("take it over");
      expect(await read(id, manager)).to.include({ state: "active", sent_count: 2 });
      expect(await audited(id)).to.deep.equal(["created", "handed_over"]);
    });

    it("notifies the 20 managers with the lowest ids at most", async () => {
      const { db, org } = scene;
      const managers = [manager];
      while (managers.length < 21) managers.push(await user(db, org.realm));
      const id = await create({
        can_manage_group: { direct_members: managers.map((each) => each.id), direct_subgroups: [] },
      });
      const { next_scheduled_message_id: planned } = await read(id);
      await deactivate();
      await deliverNow(db, org.realm, [planned ?? 0]);
      expect(await outcomes(id, manager)).to.deep.equal(["sent"]);
      const received = await Promise.all(managers.map((each) => notices(each)));
      expect(received.map(({ length }) => length)).to.deep.equal([...Array(20).fill(1), 0]);
    });

    it("fails an occurrence whose topic the policy of the channel no longer allows", async () => {
      const id = await create(managed());
      const { next_scheduled_message_id: planned } = await read(id);
      await deactivate();
      await changeChannel(scene.db, room, { topicsPolicy: "empty_topic_only" });
      await deliverNow(scene.db, scene.org.realm, [planned ?? 0]);
      expect(await messagesOf(scene.as(manager), inChannel(room.id))).to.deep.equal([]);
      expect(await outcomes(id, manager)).to.deep.equal(["failed"]);
      expect(await read(id, manager)).to.include({ state: "active", consecutive_failures: 1 });
    });

    it("sends an occurrence by the notification bot if the author is deactivated after the claim", async () => {
      const { db, org } = scene;
      const id = await create(managed());
      const before = await create();
      for (const each of [before, id]) {
        const { next_scheduled_message_id: planned } = await read(each);
        await makeDue(db, planned ?? 0, each === before ? -2 : -1);
      }
      // The lock that a deactivation holds, and that the check takes after the claim.
      await blocker.lock(
        `SELECT pg_advisory_xact_lock(${lockClass.audience}, (($1::int & 33554431) << 6) | ($2::int & 63))`,
        [org.realm.id, author.id],
      );
      const delivering = deliver(db, org.realm);
      await blocker.untilWaiting(1, "the delivery waits for the audience");
      await db.rows("UPDATE users SET is_active = false WHERE id = $1", [author.id]);
      await blocker.release();
      await delivering;
      expect(await outcomes(id, manager)).to.deep.equal(["sent"]);
      expect(await read(id, manager)).to.include({ state: "active", sent_count: 1 });
      const [message, ...more] = await messagesOf(scene.as(manager), inChannel(room.id));
      expect(more).to.deep.equal([]);
      expect(message).to.include({ sender_id: org.notificationBot.id });
      expect(await read(before, org.admin)).to.include({ paused_reason: "author_deactivated" });
      expect(await outcomes(before, org.admin)).to.deep.equal(["failed"]);
    });

    it("fails an occurrence in an archived channel, and pauses the series if no manager is active", async () => {
      const id = await create(managed());
      const { next_scheduled_message_id: planned } = await read(id);
      await deactivate();
      await changeChannel(scene.db, room, { isArchived: true });
      await deliverNow(scene.db, scene.org.realm, [planned ?? 0]);
      expect(await outcomes(id, manager)).to.deep.equal(["failed"]);
      expect(await read(id, manager)).to.include({ state: "active", consecutive_failures: 1 });
      await changeChannel(scene.db, room, { isArchived: false });
      await scene.as(scene.org.owner).succeed(deactivateUser, { path: { user_id: manager.id } });
      const { next_scheduled_message_id: next } = await read(id, scene.org.admin);
      await deliverNow(scene.db, scene.org.realm, [next ?? 0]);
      expect(await sent()).to.deep.equal([]);
      expect(await read(id, scene.org.admin)).to.include({ paused_reason: "author_deactivated" });
    });
  });
});
