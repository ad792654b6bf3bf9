import type { MessageSeries } from "@carillon/contract";
import { listMessageSeries, maxSeries } from "@carillon/contract";
import { botCommand } from "@carillon/jobs";
import {
  answerAtOnce,
  answerCommands,
  askBot,
  botAnswers,
  channel,
  createdSeries,
  dailySeries,
  deliver,
  makeDue,
  newGroup,
  openCommands,
  runJob,
  runsOf,
  send,
  seriesOf,
  type TestAccount,
  type TestChannel,
  toUsers,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

describe("series commands of the scheduling bot", () => {
  const scene = useScene();
  let person: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    person = await user(scene.db, scene.org.realm, { timezone: "Europe/Berlin" });
    room = await channel(scene.db, scene.org.realm, { subscribers: [person] });
  });

  const ask = (content: string, account = person) => askBot(scene, account, content);
  const ownSeries = async (account = person): Promise<MessageSeries[]> =>
    (await scene.as(account).succeed(listMessageSeries)).message_series.filter(
      ({ author_id }) => author_id === account.id,
    );
  /** Creates a series by a command. */
  async function created(rule = "day at 9:00", text = "Plans?"): Promise<MessageSeries> {
    const answer = await ask(`every ${rule} to #${room.name} > standup: ${text}`);
    const [, id = ""] = /Series `s(\d+)` goes to/.exec(answer) ?? [];
    expect(id, answer).not.to.equal("");
    return seriesOf(scene.as(person), Number(id));
  }
  const again = (id: number) => seriesOf(scene.as(person), id);
  /** The messages of the topic. */
  const sent = async (): Promise<string[]> =>
    (
      await scene.db.rows<{ content: string }>(
        `SELECT m.content FROM messages m JOIN recipients r ON r.id = m.recipient_id
         WHERE r.channel_id = $1 ORDER BY m.id`,
        [room.id],
      )
    ).map(({ content }) => content);
  const times = (answer: string) =>
    answer.split("\n").filter((line) => line.startsWith("* ") || /^\d\. /.test(line));
  const local = (seconds: number | null, timeZone = "Europe/Berlin") =>
    new Date((seconds ?? 0) * 1_000).toLocaleTimeString("en-GB", { timeZone, timeStyle: "short" });

  it("creates a series and shows its next three times", async () => {
    const answer = await ask(
      `Every weekday at 9:00 to #${room.name} > standup: Plans? @**all**\nSay: all`,
    );
    const all = await ownSeries();
    expect(all).to.have.length(1);
    const series = all.at(0)!;
    expect(series).to.include({
      to: room.id,
      topic: "standup",
      content: "Plans? @**all**\nSay: all",
      rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
      timezone: "Europe/Berlin",
      state: "active",
    });
    expect(local(series.next_delivery_timestamp)).to.equal("09:00");
    const iso = new Date(series.next_delivery_timestamp! * 1_000).toISOString();
    expect(times(answer)).to.have.length(3);
    expect(times(answer)[0]).to.match(
      /^\* \w+day, \d+ \w+ \d{4}, 09:00 \(Europe\/Berlin, \+0[12]:00\)/,
    );
    expect(times(answer)[0]).to.contain(`<time:${iso}>`);
    expect(answer).to.contain("standup").and.to.contain("`Plans? @**all** Say: all`");
    expect(answer).to.contain(`cancel s${series.series_id}`);
    const { html } = (await botAnswers(scene.db, scene.org.schedulingBot, person)).at(-1)!;
    expect(html).not.to.contain("user-mention");
    const [{ name } = { name: "" }] = await scene.db.rows<{ name: string }>(
      `SELECT c.name FROM scheduled_messages s JOIN clients c ON c.id = s.client_id WHERE s.id = $1`,
      [series.next_scheduled_message_id],
    );
    expect(name).to.equal("SchedulingBot");
  });

  it("creates series to people, with an end and a zone", async () => {
    const ann = await user(scene.db, scene.org.realm, { fullName: "Ann Other" });
    const answer = await ask(`every day at 9:00 2 times Asia/Tokyo to @**Ann Other**, me: Hi`);
    expect(times(answer)).to.have.length(2);
    expect(answer).to.contain("2 times").and.to.contain("(Asia/Tokyo, +09:00)");
    const until = await ask("every year on december 3 at noon until 2040-12-31 to me: Hi");
    expect(until).to.contain("until Monday, 31 December 2040").and.to.contain("12:00");
    const [first, second] = await ownSeries();
    expect(first).to.deep.include({ to: [ann.id], timezone: "Asia/Tokyo" });
    expect(first?.rrule).to.equal("FREQ=DAILY;COUNT=2");
    expect(second?.rrule).to.equal("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=3;UNTIL=20401231");
    expect(second?.to).to.deep.equal([person.id]);
  });

  it("uses UTC for an account without a time zone, and says so", async () => {
    const traveller = await user(scene.db, scene.org.realm);
    const answer = await ask("every day at 9:00 to me: Hi", traveller);
    expect(answer).to.contain("(UTC, +00:00)").and.to.contain("no time zone");
    expect(await ask("every day at 9:00 UTC to me: Hi", traveller)).not.to.contain("no time zone");
    expect((await ownSeries(traveller)).map(({ timezone }) => timezone)).to.deep.equal([
      "UTC",
      "UTC",
    ]);
  });

  it("asks about an ambiguous time or date, and accepts the number of a choice", async () => {
    const question = await ask(`every monday at 5 to #${room.name} > standup: Plans?`);
    expect(question)
      .to.match(/^1\. Monday, .* 05:00 /m)
      .and.to.match(/^2\. Monday, .* 17:00 /m);
    expect(await ownSeries()).to.deep.equal([]);
    expect(times(await ask("2"))).to.have.length(3);
    const dates = await ask("every year on 3/4 at 9:00 until 5/6/2040 to me: Hi");
    expect(dates)
      .to.match(/^1\. .*4 March .*until Sunday, 6 May 2040$/m)
      .and.to.match(/^4\. .*3 April .*until Tuesday, 5 June 2040$/m);
    expect(await ask("4"))
      .to.contain("3 April")
      .and.to.contain("until Tuesday, 5 June 2040");
    const [monday, yearly] = await ownSeries();
    expect(local(monday?.next_delivery_timestamp ?? null)).to.equal("17:00");
    expect(yearly?.rrule).to.equal("FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=3;UNTIL=20400605");
    await scene.as(person).patch("/api/v1/settings", { twenty_four_hour_time: true });
    expect(await ask("every day at 12 to me: Hi")).to.contain("12:00");
  });

  it("shows the API's refusals, and changes nothing", async () => {
    const secret = await channel(scene.db, scene.org.realm, { inviteOnly: true });
    const closed = await channel(scene.db, scene.org.realm, {
      groups: { canSendMessageGroupId: scene.org.groups["role:nobody"] },
    });
    const others = await createdSeries(
      scene.as(scene.org.owner),
      dailySeries(secret.id, { type: "direct", to: [scene.org.owner.id], topic: undefined }),
    );
    const refusals: Readonly<Record<string, RegExp>> = {
      [`every day at 9:00 to #${secret.name} > a: x`]: /no channel .* that you see/,
      [`every day at 9:00 to #${closed.name} > a: x`]: /Nothing was changed/,
      "every day at 9:00 to @**Nobody Here**: x": /no user called Nobody Here/,
      "every day at 9:00 Mars/Phobos to me: x": /IANA/,
      "every day at 9:00 until 2020-01-01 to me: x": /end before its first message/,
      "every day to me: x": /how often/,
      "every day at 9:00 0 times to me: x": /how often/,
      "every hour at 9:00 to me: x": /how often/,
      "every day at 9:00: x": /place of the message is missing/,
      [`skip s${others}`]: /no such series/,
      [`pause s${others}`]: /no such series/,
      [`resume s${others}`]: /no such series/,
      [`send s${others} now`]: /no such series/,
      [`cancel s${others}`]: /no such series/,
      [`move s${others} to 10:00`]: /no such series/,
      [`move s${others} to 2031-12-02 9:00`]: /no such series/,
      "skip s999999999999": /no such series/,
      "skip 12": /number of a series/,
      "send 12 now": /number of a series/,
      pause: /number of a series/,
    };
    for (const [command, answer] of Object.entries(refusals))
      expect(await ask(command), command).to.match(answer);
    expect(await ownSeries()).to.deep.equal([]);
    const { state, next_occurrence } = await seriesOf(scene.as(scene.org.owner), others);
    expect([state, next_occurrence === null]).to.deep.equal(["active", false]);
  });

  it("refuses the 101st series of an account, and lists 20 of them", async () => {
    await created();
    await scene.db.rows(
      `INSERT INTO message_series (realm_id, author_id, recipient_id, channel_id, topic, content, client_id,
         read_by_sender, start, timezone, rrule, can_manage_group_id, state, paused_reason, excluded_dates, template,
         catch_up_seconds)
       SELECT realm_id, author_id, recipient_id, channel_id, topic, content, client_id, read_by_sender, start, timezone,
         rrule, can_manage_group_id, 'paused', 'manual', excluded_dates, template, catch_up_seconds
       FROM message_series, generate_series(2, $2::int) WHERE author_id = $1`,
      [person.id, maxSeries],
    );
    expect(await ask("every day at 9:00 to me: x")).to.match(/Nothing was changed.*100 series/);
    const listed = await ask("list");
    expect(listed).to.contain("100 are planned; these are the next 20:").and.to.contain("(paused)");
    expect(times(listed)).to.have.length(20);
    expect(await ownSeries()).to.have.length(maxSeries);
  });

  it("lists messages, reminders and series by their next time", async () => {
    const { series_id: id } = await created();
    const { series_id: paused } = await created("day at 8:00");
    await ask(`pause s${paused}`);
    await ask(`send 2031-12-02 9:00 to me: Hello`);
    await ask("remind me in 5 minutes: Call");
    const listed = await ask("list");
    expect(listed).to.contain("4 are planned:");
    const [first, second, third, fourth] = times(listed);
    expect(first).to.match(/^\* `\d+` reminder .*`Call`$/);
    expect(second).to.match(new RegExp(`^\\* \`s${id}\` series to .*09:00 .*\`Plans\\?\`$`));
    expect(third).to.match(/^\* `\d+` message to you .*2031/);
    expect(fourth).to.match(new RegExp(`^\\* \`s${paused}\` series to .*\\(paused\\)`));
  });

  it("skips, pauses, resumes and cancels", async () => {
    const { series_id: id, next_occurrence: first } = await created();
    const skipped = await ask(`skip S${id}`);
    expect(skipped).to.contain("is left out");
    expect(times(skipped)).to.have.length(3);
    expect((await again(id)).excluded_dates).to.deep.equal([first]);
    expect((await again(id)).next_occurrence).not.to.equal(first);

    for (const _ of [1, 2]) expect(await ask(`pause s${id}`)).to.contain(`resume s${id}`);
    expect(await again(id)).to.include({ state: "paused", next_occurrence: null });
    for (const _ of [1, 2]) expect(times(await ask(`resume s${id}`))).to.have.length(3);
    expect(await again(id)).to.include({ state: "active" });

    expect(await ask(`cancel s${id}`)).to.contain("is cancelled");
    expect(await ownSeries()).to.deep.equal([]);
    expect(await ask(`cancel s${id}`)).to.match(/no such series/);
    expect(await ask("list")).to.equal("Nothing is planned.");
  });

  it("refuses commands for a series that has ended", async () => {
    const { series_id: id } = await created("day at 9:00 1 times");
    expect(await ask(`skip s${id}`)).to.contain("It was the last one");
    expect((await again(id)).state).to.equal("ended");
    for (const command of [
      `skip s${id}`,
      `pause s${id}`,
      `resume s${id}`,
      `move s${id} to friday 9:00`,
    ])
      expect(await ask(command), command).to.match(/Nothing was changed/);
    expect(await ask(`move s${id} to 10:00`)).to.match(/passed/);
    expect(await ask("list")).to.equal("Nothing is planned.");
  });

  it("skips the next message of a series when its own number is cancelled", async () => {
    const {
      series_id: id,
      next_scheduled_message_id: next,
      next_occurrence: first,
    } = await created();
    expect(await ask(`cancel ${next}`)).to.contain(`Series \`s${id}\``);
    expect(await again(id)).to.deep.include({ state: "active", excluded_dates: [first] });
  });

  it("sends the message of a series now, once, and keeps its planned occurrence", async () => {
    const { series_id: id, next_occurrence: next } = await created();
    const command = toUsers([scene.org.schedulingBot.id], { content: `send s${id} now` });
    await send(scene.as(person), command);
    const ref = (await openCommands(scene.db)).at(0)!;
    await answerAtOnce(scene.db, ref, 3);
    await runJob(scene.db, botCommand, ref);
    expect(await sent()).to.deep.equal(["Plans?"]);
    const answers = await botAnswers(scene.db, scene.org.schedulingBot, person);
    expect(answers).to.have.length(2);
    expect(answers.at(-1)!.content).to.contain("the next one is on").and.to.contain("09:00");
    expect(await again(id)).to.include({ next_occurrence: next, sent_count: 0 });
    expect(await runsOf(scene.as(person), id)).to.deep.equal([]);
    // The message of a paused series can be sent, too.
    await ask(`pause s${id}`);
    expect(await ask(`send s${id} now`)).not.to.contain("the next one");
    expect(await sent()).to.have.length(2);
  });

  it("sends two messages if a series is sent now while its occurrence is delivered", async () => {
    const { series_id: id, next_scheduled_message_id: next } = await created();
    await makeDue(scene.db, next!);
    await send(
      scene.as(person),
      toUsers([scene.org.schedulingBot.id], { content: `send s${id} now` }),
    );
    await Promise.all([answerCommands(scene.db), deliver(scene.db, scene.org.realm)]);
    expect(await sent()).to.deep.equal(["Plans?", "Plans?"]);
    expect((await again(id)).sent_count).to.equal(1);
  });

  it("ignores commands in messages of series, so that no series sends itself", async () => {
    const bot = scene.org.schedulingBot;
    const answer = await ask(`every day at 9:00 to @**${bot.fullName}**: list`);
    const id = Number(/cancel s(\d+)/.exec(answer)?.[1]);
    await scene.as(person).patch(`/api/v1/message_series/${id}`, { content: `send s${id} now` });
    expect(await askTwice(`send s${id} now`)).to.match(/scheduled.*by hand/);
    expect(await openCommands(scene.db)).to.deep.equal([]);
    expect((await ownSeries()).at(0)!.sent_count).to.equal(0);
  });

  /** Sends a command that is answered twice, and returns the second answer. */
  async function askTwice(content: string): Promise<string> {
    const { db, org } = scene;
    const before = await botAnswers(db, org.schedulingBot, person);
    await send(scene.as(person), toUsers([org.schedulingBot.id], { content }));
    await answerCommands(db);
    await answerCommands(db);
    await answerCommands(db);
    const after = await botAnswers(db, org.schedulingBot, person);
    expect(after).to.have.length(before.length + 2);
    return after.at(-1)!.content;
  }

  describe("move", () => {
    it("moves only the next message, and keeps the rule", async () => {
      const {
        series_id: id,
        next_scheduled_message_id: row,
        next_occurrence: first,
      } = await created();
      const answer = await ask(`move s${id} to 2031-12-02 17:30`);
      expect(answer).to.contain("Tuesday, 2 December 2031, 17:30").and.to.contain(`move ${row} to`);
      expect(answer).to.contain("Only this one is moved");
      const series = await again(id);
      expect(series.next_occurrence! > first!).to.equal(true);
      expect(local(series.next_delivery_timestamp)).to.equal("09:00");
      expect(await ask(`move ${row} to 2031-12-03 8:00`)).to.contain("3 December 2031");
      const listed = times(await ask("list"));
      expect(listed).to.have.length(2);
      expect(listed.at(-1)).to.match(new RegExp(`^\\* \`${row}\` message to .*3 December 2031`));
    });

    it("asks whether a time of day is for the next message or for all", async () => {
      const {
        series_id: id,
        next_scheduled_message_id: row,
        next_occurrence: first,
      } = await created("month on the 31st at 9:00");
      const question = await ask(`move s${id} to 10:00`);
      expect(question)
        .to.match(/^1\. Only the next one: on .* 31 .*10:00/m)
        .and.to.match(/^2\. All of them: the next one on .* 31 .*10:00/m);
      expect(await ask("2"))
        .to.contain("another time of day")
        .and.to.contain("10:00");
      expect(await again(id)).to.include({
        next_occurrence: first,
        next_scheduled_message_id: row,
      });
      expect(local((await again(id)).next_delivery_timestamp)).to.equal("10:00");

      await ask(`move s${id} to at 11:30`);
      expect(await ask("1"))
        .to.contain("11:30")
        .and.to.contain("Only this one");
      const series = await again(id);
      expect(series.next_occurrence).not.to.equal(first);
      expect(local(series.next_delivery_timestamp)).to.equal("10:00");
    });

    it("also asks for am or pm", async () => {
      const { series_id: id } = await created("month on the 31st at 9:00");
      expect(times(await ask(`move s${id} to 5`))).to.have.length(4);
      expect(await ask("4")).to.contain("17:00");
      expect(local((await again(id)).next_delivery_timestamp)).to.equal("17:00");
    });

    it("does not move the following message if the next one is sent before the person answers", async () => {
      const { series_id: id, next_scheduled_message_id: row } = await created(
        "month on the 31st at 9:00",
      );
      await ask(`move s${id} to 10:00`);
      await makeDue(scene.db, row!);
      await deliver(scene.db, scene.org.realm);
      const { next_delivery_timestamp: next } = await again(id);
      expect(await ask("1")).to.match(/has been sent or skipped/);
      expect((await again(id)).next_delivery_timestamp).to.equal(next);
    });

    it("moves all messages of a paused series, but not its next one", async () => {
      const { series_id: id } = await created();
      await ask(`pause s${id}`);
      expect(await ask(`move s${id} to 2031-12-02 9:00`)).to.match(/no next message: it is paused/);
      expect(times(await ask(`move s${id} to 10:00`))).to.have.length(1);
      expect(await ask("1")).to.contain("still paused");
      expect(local((await again(id)).next_delivery_timestamp)).to.equal(local(0));
      await ask(`resume s${id}`);
      expect(local((await again(id)).next_delivery_timestamp)).to.equal("10:00");
    });

    it("lets managers move all messages, but not only the next one", async () => {
      const manager = await user(scene.db, scene.org.realm, { timezone: "Europe/Berlin" });
      const { series_id: id } = await created("month on the 31st at 9:00");
      const group = await newGroup(scene.gateway, scene.org.owner, {
        name: `managers ${id}`,
        members: [manager.id],
      });
      const { body } = await scene
        .as(person)
        .patch(`/api/v1/message_series/${id}`, { can_manage_group: group });
      expect(body.result, body.msg).to.equal("success");
      expect(await ask(`move s${id} to 2031-12-02 9:00`, manager)).to.match(/Only the author/);
      expect(times(await ask(`move s${id} to 10:00`, manager))).to.have.length(1);
      expect(await ask("1", manager)).to.contain("10:00");
      expect(await ask(`skip s${id}`, manager)).to.contain("is left out");
      expect((await again(id)).author_id).to.equal(person.id);
      expect(await ask("list", manager)).to.equal("Nothing is planned.");
    });
  });
});
