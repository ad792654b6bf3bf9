import {
  createMessageSeries,
  deleteMessageSeries,
  editMessageSeries,
  listSeriesOccurrences,
  pauseMessageSeries,
  previewMessageSeries,
  resumeMessageSeries,
  sendSeriesNow,
  skipSeriesOccurrence,
} from "@carillon/contract";
import {
  channel,
  createdSeries,
  dailySeries,
  inChannel,
  kindsOf,
  messagesOf,
  movePlanned,
  type Params,
  refused,
  runsOf,
  scheduledOf,
  seriesOf,
  type TestAccount,
  type TestChannel,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const day = 86_400;
const nextYear = () => `${new Date().getUTCFullYear() + 1}-06-01T09:00`;

describe("Message series", () => {
  const scene = useScene();
  let room: TestChannel;
  let author: TestAccount;
  let manager: TestAccount;
  let stranger: TestAccount;

  beforeEach(async () => {
    const { db, org } = scene;
    author = await user(db, org.realm);
    manager = await user(db, org.realm);
    stranger = await user(db, org.realm);
    room = await channel(db, org.realm, { subscribers: [author, manager, stranger, org.guest] });
  });

  const create = (over: Params = {}, by = author) =>
    createdSeries(scene.as(by), dailySeries(room.id, over));
  const edit = (id: number, params: Params, by = author) =>
    scene.as(by).call(editMessageSeries, { path: { series_id: id }, params });
  const at = (id: number) => ({ path: { series_id: id } });

  it("plan their first occurrence as a scheduled message of the author", async () => {
    const answer = await scene
      .as(author)
      .succeed(createMessageSeries, { params: dailySeries(room.id) });
    expect(answer.occurrences).to.have.length(5);
    const [first] = answer.occurrences;
    for (const { scheduled_delivery_timestamp: time } of answer.occurrences)
      expect(time % day).to.equal(9 * 3_600);
    expect(first?.local_time).to.equal(`${first?.occurrence}T09:00:00+00:00`);
    const [row, ...more] = await scheduledOf(scene.as(author));
    expect(more).to.deep.equal([]);
    expect(row).to.deep.include({
      type: "stream",
      to: room.id,
      topic: "stand-up",
      content: "What do you do today?",
      rendered_content: "<p>What do you do today?</p>",
      scheduled_delivery_timestamp: first?.scheduled_delivery_timestamp,
      failed: false,
    });
    const lastYear = new Date().getUTCFullYear() - 1;
    expect(await seriesOf(scene.as(author), answer.series_id)).to.deep.equal({
      series_id: answer.series_id,
      author_id: author.id,
      type: "stream",
      to: room.id,
      topic: "stand-up",
      content: "What do you do today?",
      start: `${lastYear}-01-01T09:00:00`,
      timezone: "Etc/UTC",
      rrule: "FREQ=DAILY",
      excluded_dates: [],
      template: false,
      unless: [],
      catch_up_seconds: 600,
      can_manage_group: scene.org.groups["role:nobody"],
      state: "active",
      paused_reason: null,
      next_occurrence: first?.occurrence,
      next_delivery_timestamp: first?.scheduled_delivery_timestamp,
      next_scheduled_message_id: row?.scheduled_message_id,
      sent_count: 0,
      consecutive_failures: 0,
      version: 1,
    });
  });

  it("of direct messages name the participants without the author", async () => {
    const id = await create({ type: "direct", to: [author.id, manager.id] });
    expect(await seriesOf(scene.as(author), id)).to.deep.include({
      type: "private",
      to: [manager.id],
    });
    expect(await seriesOf(scene.as(author), id)).not.to.have.property("topic");
  });

  it("use the time zone of the account unless one is given", async () => {
    const { timezone: _, ...params } = dailySeries(room.id);
    const ask = () => scene.as(author).call(createMessageSeries, { params });
    await refused(scene.db, ask, "REQUEST_VARIABLE_MISSING", { var_name: "timezone" });
    await scene.db.rows("UPDATE users SET timezone = 'Asia/Tokyo' WHERE id = $1", [author.id]);
    const id = await createdSeries(scene.as(author), params);
    expect(await seriesOf(scene.as(author), id)).to.include({ timezone: "Asia/Tokyo" });
  });

  it("refuse invalid schedules, and change nothing", async () => {
    const bad: Params[] = [
      { start: "2030-01-01T09:00Z" },
      { start: "2030-01-01T09:00+01:00" },
      { start: "2026-02-30T09:00" },
      { start: "2026-01-01T25:00" },
      { start: "10000-01-01T09:00" },
      { timezone: "Mars/Phobos" },
      { timezone: "+02:00" },
      { timezone: "" },
      { rrule: "FREQ=HOURLY" },
      { rrule: "FREQ=DAILY;BYHOUR=9" },
      { rrule: "FREQ=WEEKLY;BYMONTHDAY=1" },
      { rrule: "FREQ=DAILY;COUNT=1;UNTIL=20300101" },
      { rrule: "FREQ=DAILY;INTERVAL=0" },
      { rrule: "FREQ=MONTHLY;BYSETPOS=1" },
      { rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" },
      { rrule: "FREQ=DAILY;UNTIL=20200101" },
      { rrule: "FREQ=DAILY;FREQ=DAILY" },
      { rrule: `FREQ=DAILY;BYMONTHDAY=${"1,".repeat(150)}1` },
      { excluded_dates: ["2026-02-30"] },
      { excluded_dates: "2026-12-25" },
      { excluded_dates: Array.from({ length: 501 }, () => "2030-01-01") },
      { catch_up_seconds: -1 },
      { catch_up_seconds: 86_401 },
      { template: true, content: "{nme}" },
      { template: true, content: "a { b" },
      { template: true, topic: "{" },
      { unless: { kind: "reply" } },
      { unless: [{ kind: "replly" }] },
      { unless: [{ kind: "check_in", interval: 60 }] },
      { unless: Array.from({ length: 6 }, () => ({ kind: "reply" })) },
      { unless: [{ kind: "reply", by: [99_999_999] }] },
      { can_manage_group: scene.org.groups["role:everyone"] },
      { can_manage_group: 99_999_999 },
    ];
    for (const over of bad) {
      const ask = () =>
        scene.as(author).call(createMessageSeries, { params: dailySeries(room.id, over) });
      await refused(scene.db, ask, "BAD_REQUEST", {});
    }
    const id = await create();
    for (const over of bad) await refused(scene.db, () => edit(id, over), "BAD_REQUEST", {});
    await refused(scene.db, () => edit(id, {}), "BAD_REQUEST", {});
    const nowhere = () =>
      scene.as(author).call(createMessageSeries, { params: dailySeries(99_999_999) });
    await refused(scene.db, nowhere, "STREAM_DOES_NOT_EXIST", { stream_id: 99_999_999 });
  });

  it("expand templates, and send braces as written without one", async () => {
    const content = "{date} {weekday} {week} {n} {{x}}";
    const plain = await create({ content });
    const expanded = await create({ content, topic: "day {n}", template: true });
    const rows = await scheduledOf(scene.as(author));
    const rowOf = async (id: number) => {
      const { next_scheduled_message_id: rowId } = await seriesOf(scene.as(author), id);
      return rows.find((row) => row.scheduled_message_id === rowId)!;
    };
    expect((await rowOf(plain)).content).to.equal(content);
    const { next_occurrence: date } = await seriesOf(scene.as(author), expanded);
    const row = await rowOf(expanded);
    expect(row.topic).to.equal("day 1");
    const weekday = new Date(`${date}T00:00Z`).toLocaleDateString("en", {
      weekday: "long",
      timeZone: "UTC",
    });
    expect(row.content).to.match(new RegExp(`^${date} ${weekday} \\d+ 1 \\{x\\}$`));
  });

  it("preview a rule with warnings, and store nothing", async () => {
    const params = {
      start: "2024-01-31T02:30",
      timezone: "europe/berlin",
      rrule: "rrule:freq=monthly;bymonthday=31",
      excluded_dates: ["2024-05-31"],
      after: 0,
      count: 3,
    };
    const ask = () => scene.as(author).succeed(previewMessageSeries, { params });
    expect(await ask()).to.deep.include({
      occurrences: [
        {
          occurrence: "2024-01-31",
          scheduled_delivery_timestamp: Date.parse("2024-01-31T02:30+01:00") / 1_000,
          local_time: "2024-01-31T02:30:00+01:00",
        },
        {
          occurrence: "2024-03-31",
          scheduled_delivery_timestamp: Date.parse("2024-03-31T03:00+02:00") / 1_000,
          local_time: "2024-03-31T03:00:00+02:00",
        },
        {
          occurrence: "2024-07-31",
          scheduled_delivery_timestamp: Date.parse("2024-07-31T02:30+02:00") / 1_000,
          local_time: "2024-07-31T02:30:00+02:00",
        },
      ],
      warnings: ["SKIPS_SHORT_MONTHS", "DST_GAP"],
    });
    const never = { ...params, rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" };
    expect(await scene.as(author).succeed(previewMessageSeries, { params: never })).to.deep.include(
      { occurrences: [], warnings: ["ENDS"] },
    );
    for (const over of [{ count: 0 }, { count: 101 }, { rrule: "FREQ=HOURLY" }, { after: -1 }])
      await refused(
        scene.db,
        () => scene.as(author).call(previewMessageSeries, { params: { ...params, ...over } }),
        "BAD_REQUEST",
        {},
      );
    const { timezone: _, ...zoneless } = params;
    await refused(
      scene.db,
      () => scene.as(author).call(previewMessageSeries, { params: zoneless }),
      "REQUEST_VARIABLE_MISSING",
      { var_name: "timezone" },
    );
  });

  it("change their planned occurrence when they are edited", async () => {
    const id = await create();
    const before = await seriesOf(scene.as(author), id);
    const answer = await edit(id, { start: "2020-01-01T10:30", content: "Later" });
    expect(answer.status).to.equal(200);
    const rows = await scheduledOf(scene.as(author));
    const [row] = rows;
    expect(row).to.include({
      scheduled_message_id: before.next_scheduled_message_id,
      content: "Later",
    });
    for (const { scheduled_delivery_timestamp: time } of rows)
      expect(time % day).to.equal(10.5 * 3_600);
    expect(await seriesOf(scene.as(author), id)).to.include({
      start: "2020-01-01T10:30:00",
      content: "Later",
      version: 2,
      next_delivery_timestamp: row?.scheduled_delivery_timestamp,
    });
  });

  it("change their topic, channel and type, and those of the planned occurrence", async () => {
    const { db, org } = scene;
    const client = scene.as(author);
    const other = await channel(db, org.realm, { subscribers: [author] });
    const hidden = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const id = await create();
    const inRoom = { type: "stream", to: room.id, topic: "review" };
    const steps: ReadonlyArray<readonly [Params, Params]> = [
      [{ topic: "review" }, inRoom],
      [{ to: other.id }, { ...inRoom, to: other.id }],
      [
        { type: "direct", to: [manager.id] },
        { type: "private", to: [manager.id] },
      ],
      [{ to: [stranger.id] }, { type: "private", to: [stranger.id] }],
      [{ type: "channel", to: room.id, topic: "review" }, inRoom],
    ];
    for (const [params, expected] of steps) {
      expect((await edit(id, params)).status).to.equal(200);
      const record = await seriesOf(client, id);
      expect(record).to.deep.include(expected);
      const [row, ...more] = await scheduledOf(client);
      expect(more).to.deep.equal([]);
      expect(row).to.deep.include({
        ...expected,
        scheduled_message_id: record.next_scheduled_message_id,
      });
    }
    for (const params of [
      { type: "direct" },
      { type: "channel", to: room.id },
      { to: [manager.id] },
    ])
      await refused(db, () => edit(id, params), "BAD_REQUEST", {});
    await refused(db, () => edit(id, { to: hidden.id }), "BAD_REQUEST", {});
  });

  it("do not send a day again at a new time", async () => {
    const id = await create();
    const today = new Date().toISOString().slice(0, 10);
    await scene.db.rows(
      "UPDATE message_series SET last_occurrence = $2::text::date WHERE id = $1",
      [id, today],
    );
    await edit(id, { start: "2020-01-01T23:59:59" });
    const { next_occurrence: next } = await seriesOf(scene.as(author), id);
    expect(next! > today).to.equal(true);
  });

  it("are paused and resumed, and end with their rule", async () => {
    const id = await create({ rrule: "FREQ=DAILY;COUNT=1", start: nextYear() });
    const client = scene.as(author);
    await refused(
      scene.db,
      () => client.call(pauseMessageSeries, at(99_999_999)),
      "BAD_REQUEST",
      {},
      404,
    );
    for (let twice = 0; twice < 2; twice++) {
      await client.succeed(pauseMessageSeries, at(id));
      expect(await seriesOf(client, id)).to.include({
        state: "paused",
        paused_reason: "manual",
        next_occurrence: null,
        next_delivery_timestamp: null,
        next_scheduled_message_id: null,
        version: 2,
      });
      expect(await scheduledOf(client)).to.deep.equal([]);
    }
    for (let twice = 0; twice < 2; twice++) {
      await client.succeed(resumeMessageSeries, at(id));
      expect(await seriesOf(client, id)).to.include({
        state: "active",
        paused_reason: null,
        version: 3,
      });
      expect(await scheduledOf(client)).to.have.length(1);
    }
    await client.succeed(skipSeriesOccurrence, at(id));
    expect(await seriesOf(client, id)).to.include({ state: "ended", next_occurrence: null });
    await refused(scene.db, () => client.call(resumeMessageSeries, at(id)), "BAD_REQUEST", {});
    await refused(scene.db, () => client.call(skipSeriesOccurrence, at(id)), "BAD_REQUEST", {});
    expect((await edit(id, { rrule: "FREQ=DAILY" })).status).to.equal(200);
    expect(await seriesOf(client, id)).to.include({ state: "active" });
  });

  it("skip the next occurrence, or a given one", async () => {
    const client = scene.as(author);
    const id = await create();
    const { occurrences } = await client.succeed(listSeriesOccurrences, at(id));
    const [first, second, third] = occurrences.map(({ occurrence }) => occurrence);
    expect(await client.succeed(skipSeriesOccurrence, at(id))).to.deep.include({ skipped: first });
    const skip = (occurrence: string | undefined) =>
      client.call(skipSeriesOccurrence, { ...at(id), params: { occurrence } });
    const planned = await scheduledOf(client);
    expect((await skip(third)).body).to.deep.include({ skipped: third });
    expect(await scheduledOf(client)).to.deep.equal(planned);
    const { version } = await seriesOf(client, id);
    expect((await skip(third)).status).to.equal(200);
    expect(await seriesOf(client, id)).to.deep.include({
      next_occurrence: second,
      excluded_dates: [first, third],
      version,
    });
    expect(
      (await runsOf(client, id)).map(({ occurrence, outcome }) => [occurrence, outcome]),
    ).to.deep.equal([
      [third, "skipped"],
      [first, "skipped"],
    ]);
    const lastYear = new Date().getUTCFullYear() - 1;
    for (const date of ["soon", `${lastYear}-06-01`, "2019-01-01", ""])
      await refused(scene.db, () => skip(date), "BAD_REQUEST", {});
    await edit(id, { excluded_dates: [first] });
    expect((await runsOf(client, id)).map(({ occurrence }) => occurrence)).to.deep.equal([first]);
  });

  it("refuse to skip a future date that the rule does not include", async () => {
    const id = await create({ rrule: "FREQ=WEEKLY;BYDAY=MO" });
    const { next_occurrence: monday } = await seriesOf(scene.as(author), id);
    const after = (days: number) =>
      new Date(Date.parse(monday!) + days * day * 1_000).toISOString().slice(0, 10);
    const skip = (occurrence: string) =>
      scene.as(author).call(skipSeriesOccurrence, { ...at(id), params: { occurrence } });
    for (const date of [after(1), after(6)])
      await refused(scene.db, () => skip(date), "BAD_REQUEST", {});
    expect((await skip(after(7))).status).to.equal(200);
  });

  it("list as many occurrences as asked for, and their last 100 runs", async () => {
    const id = await create();
    const list = (params: Params) =>
      scene.as(author).succeed(listSeriesOccurrences, { ...at(id), params });
    await scene.db.rows(
      `INSERT INTO series_runs (series_id, occurrence, outcome)
       SELECT $1, date '2020-01-01' + n, 'sent' FROM generate_series(0, 100) n`,
      [id],
    );
    const { occurrences, runs } = await list({ count: 7 });
    expect(occurrences).to.have.length(7);
    expect(runs).to.have.length(100);
    expect([runs[0]?.occurrence, runs.at(-1)?.occurrence]).to.deep.equal([
      "2020-04-10",
      "2020-01-02",
    ]);
    for (const [params, length] of [
      [{}, 5],
      [{ count: 1 }, 1],
      [{ count: 100 }, 100],
    ] as const)
      expect((await list(params)).occurrences).to.have.length(length);
    for (const count of [0, 101, "x"])
      await refused(
        scene.db,
        () => scene.as(author).call(listSeriesOccurrences, { ...at(id), params: { count } }),
        "BAD_REQUEST",
        {},
      );
  });

  it("skip an occurrence whose scheduled message is deleted", async () => {
    const client = scene.as(author);
    const id = await create();
    const { next_occurrence: first, next_scheduled_message_id: rowId } = await seriesOf(client, id);
    const told = await watch(scene.gateway, { author: { account: author } }, async () => {
      const answer = await client.delete(`/api/v1/scheduled_messages/${rowId}`);
      expect(answer.status).to.equal(200);
    });
    expect(kindsOf(told.author)).to.deep.equal([
      "scheduled_messages/remove",
      "scheduled_messages/add",
    ]);
    const after = await seriesOf(client, id);
    expect(after.excluded_dates).to.deep.equal([first]);
    expect(after.next_scheduled_message_id).not.to.equal(rowId);
  });

  it("plan the next occurrence when the planned one is edited", async () => {
    const client = scene.as(author);
    const id = await create();
    const before = await seriesOf(client, id);
    const rowId = before.next_scheduled_message_id!;
    const answer = await client.patch(`/api/v1/scheduled_messages/${rowId}`, {
      content: "Only today",
    });
    expect(answer.status).to.equal(200);
    const rows = await scheduledOf(client);
    expect(rows.map(({ content }) => content)).to.deep.equal([
      "Only today",
      "What do you do today?",
    ]);
    const after = await seriesOf(client, id);
    expect(after.next_delivery_timestamp).to.equal(before.next_delivery_timestamp! + day);
    await client.succeed(deleteMessageSeries, at(id));
    expect(await scheduledOf(client)).to.deep.equal([]);
  });

  it("send their message now, and keep their plan", async () => {
    const id = await create({ content: "Now, number {n}", template: true });
    const before = await seriesOf(scene.as(author), id);
    const { id: messageId } = await scene.as(author).succeed(sendSeriesNow, at(id));
    const [sent] = await messagesOf(scene.as(stranger), inChannel(room.id));
    expect(sent).to.include({ id: messageId, sender_id: author.id, content: "Now, number 1" });
    expect(await seriesOf(scene.as(author), id)).to.deep.equal(before);
  });

  it("are limited to 100 of an account that have not ended", async () => {
    const { db } = scene;
    await create();
    await db.rows(
      `INSERT INTO message_series (realm_id, author_id, recipient_id, channel_id, topic, content, client_id,
         read_by_sender, start, timezone, rrule, excluded_dates, can_manage_group_id)
       SELECT realm_id, author_id, recipient_id, channel_id, topic, content, client_id, read_by_sender, start, timezone,
         rrule, excluded_dates, can_manage_group_id
       FROM message_series, generate_series(1, 99) WHERE author_id = $1`,
      [author.id],
    );
    const ask = () => scene.as(author).call(createMessageSeries, { params: dailySeries(room.id) });
    await refused(db, ask, "BAD_REQUEST", {});
    await db.rows(
      `UPDATE message_series SET state = 'ended' WHERE id = (SELECT max(id) FROM message_series WHERE author_id = $1)`,
      [author.id],
    );
    expect((await ask()).status).to.equal(200);
  });

  it("do not count as pending messages, unless an occurrence is edited", async () => {
    const { db } = scene;
    const id = await create();
    await db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content,
         client_id, deliver_at, read_by_sender)
       SELECT realm_id, sender_id, recipient_id, channel_id, topic, '', '', client_id, deliver_at, false
       FROM scheduled_messages, generate_series(1, 9999) WHERE series_id = $1`,
      [id],
    );
    const params = {
      type: "channel",
      to: room.id,
      topic: "t",
      content: "c",
      scheduled_delivery_timestamp: 4_102_448_400,
    };
    const post = () => scene.as(author).post("/api/v1/scheduled_messages", params);
    expect((await post()).status).to.equal(200);
    await refused(db, post, "BAD_REQUEST", {});
    const next = await create();
    expect(next).to.be.above(id);
    // An occurrence that is changed by itself becomes a message of its own, which is one too many.
    const { next_scheduled_message_id: planned } = await seriesOf(scene.as(author), next);
    const change = (content: string) =>
      scene.as(author).patch(`/api/v1/scheduled_messages/${planned}`, { content });
    await refused(db, () => change("Only today"), "BAD_REQUEST", {});
    await db.rows("DELETE FROM scheduled_messages WHERE sender_id = $1 AND topic = 't'", [
      author.id,
    ]);
    expect((await change("Only today")).status).to.equal(200);
    await refused(db, post, "BAD_REQUEST", {});
  });

  it("are refused while a process of a release without series runs", async () => {
    const { db } = scene;
    await db.rows(
      `INSERT INTO process_heartbeats (process_id, role, host, pid, features)
       VALUES (gen_random_uuid(), 'worker', 'old', 1, '{conditions}')`,
    );
    const ask = () => scene.as(author).call(createMessageSeries, { params: dailySeries(room.id) });
    const answer = await ask();
    expect(answer.status).to.equal(503);
    expect(answer.headers.get("retry-after")).to.equal("30");
    await db.rows("DELETE FROM process_heartbeats WHERE host = 'old'");
    expect((await ask()).status).to.equal(200);
  });

  it("keep an occurrence that is due when they are edited", async () => {
    const id = await create();
    await movePlanned(scene.db, id, { days: 1 });
    const before = await seriesOf(scene.as(author), id);
    await edit(id, { content: "Edited in time" });
    expect(await seriesOf(scene.as(author), id)).to.include({
      next_occurrence: before.next_occurrence,
      next_scheduled_message_id: before.next_scheduled_message_id,
    });
  });
});
