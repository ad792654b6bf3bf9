import { bounds } from "@carillon/contract";
import { botCommand, deliverDue } from "@carillon/jobs";
import {
  answerAtOnce,
  answerCommands,
  askBot,
  botAnswers,
  changeChannel,
  channel,
  countQueries,
  makeDue,
  openCommands,
  runJob,
  send,
  type TestAccount,
  type TestChannel,
  toUsers,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const scheduledPath = "/api/v1/scheduled_messages";
/** A Tuesday. */
const day = "2031-12-02";

describe("the scheduling bot", () => {
  const scene = useScene();
  let botId: number;
  let person: TestAccount;
  let room: TestChannel;

  before(() => {
    botId = scene.org.schedulingBot.id;
  });

  beforeEach(async () => {
    person = await user(scene.db, scene.org.realm, { timezone: "Europe/Berlin" });
    room = await channel(scene.db, scene.org.realm, { subscribers: [person] });
  });

  const pending = () => openCommands(scene.db);
  const work = () => answerCommands(scene.db);
  const answers = (account = person) => botAnswers(scene.db, scene.org.schedulingBot, account);
  const ask = (content: string, account = person) => askBot(scene, account, content);

  interface Scheduled {
    readonly id: number;
    readonly to: number | number[];
    readonly topic?: string;
    readonly content: string;
    readonly at: string;
  }

  /** The person's scheduled messages, by the API. */
  async function scheduled(account = person): Promise<Scheduled[]> {
    const { body } = await scene.as(account).get(scheduledPath);
    const list = body["scheduled_messages"] as Array<
      Omit<Scheduled, "id" | "at"> & {
        readonly scheduled_message_id: number;
        readonly scheduled_delivery_timestamp: number;
      }
    >;
    return list.map(
      ({ scheduled_message_id: id, scheduled_delivery_timestamp: at, to, topic, content }) => ({
        id,
        to,
        content,
        at: new Date(at * 1_000).toISOString(),
        ...(topic !== undefined && { topic }),
      }),
    );
  }

  it("schedules a message to a topic, and says how to undo it", async () => {
    const answer = await ask(`send ${day} 9:00 to #${room.name} > standup: Plans?\nSay: all`);
    const [message, ...others] = await scheduled();
    expect(others).to.deep.equal([]);
    expect(message).to.deep.include({
      to: room.id,
      topic: "standup",
      content: "Plans?\nSay: all",
      at: `${day}T08:00:00.000Z`,
    });
    expect(answer).to.contain("Tuesday, 2 December 2031, 09:00 (Europe/Berlin, +01:00)");
    expect(answer).to.contain(`<time:${day}T08:00:00.000Z>`);
    expect(answer).to.contain("standup").and.to.contain("`Plans? Say: all`");
    expect(answer).to.contain(`cancel ${message?.id}`);
    const row = await scene.db.prisma.scheduledMessage.findFirstOrThrow({
      where: { id: message?.id ?? 0 },
      include: { client: true },
    });
    expect(row.client.name).to.equal("SchedulingBot");
    expect(await ask(`cancel ${message?.id}`)).to.contain("is cancelled");
    expect(await scheduled()).to.deep.equal([]);
  });

  it("schedules messages to people by name, ID and address, and to oneself", async () => {
    const ann = await user(scene.db, scene.org.realm, { fullName: "Ann: the, 2nd" });
    const bob = await user(scene.db, scene.org.realm);
    const places = [`@**Ann: the, 2nd**`, `@**Ann: the, 2nd|${ann.id}**, ${bob.email}`, "me"];
    for (const place of places) await ask(`send ${day} 9:00 to ${place}: Hello`);
    const to = (await scheduled()).map((each) => each.to);
    expect(to).to.deep.equal([[ann.id], [ann.id, bob.id], [person.id]]);
  });

  it("sets a reminder of the command's message with a note", async () => {
    const answer = await ask("remind me in 20 minutes: Call @**all** and the *office*");
    const { body } = await scene.as(person).get("/api/v1/reminders");
    const [reminder = {}] = body["reminders"] as Array<Readonly<Record<string, unknown>>>;
    expect(reminder["content"]).to.contain("Call @**all** and the *office*");
    const id = String(reminder["reminder_id"]);
    expect(answer).to.contain(`Reminder \`${id}\``);
    expect(await ask(`cancel ${id}`)).to.contain("Reminder");
    expect((await scene.as(person).get("/api/v1/reminders")).body["reminders"]).to.deep.equal([]);
  });

  it("moves a message to another time", async () => {
    await ask(`send ${day} 9:00 to me: Hello`);
    const [message] = await scheduled();
    expect(await ask(`move ${message?.id} to ${day} 17:30 UTC`)).to.contain("17:30 (UTC, +00:00)");
    expect((await scheduled()).at(0)!.at).to.equal(`${day}T17:30:00.000Z`);
  });

  it("uses UTC for an account without a time zone, and says so", async () => {
    const traveller = await user(scene.db, scene.org.realm);
    const answer = await ask(`send ${day} 9:00 to me: Hello`, traveller);
    expect(answer).to.contain("(UTC, +00:00)").and.to.contain("no time zone");
    expect((await scheduled(traveller)).at(0)!.at).to.equal(`${day}T09:00:00.000Z`);
    expect(await ask(`send ${day} 9:00 Asia/Tokyo to me: Hi`, traveller)).not.to.contain(
      "no time zone",
    );
  });

  it("lists 20 of 9,999 planned messages, and their total number", async () => {
    expect(await ask("list")).to.equal("Nothing is planned.");
    await ask(`send ${day} 9:00 to #${room.name} > standup: Hello`);
    await ask("remind me tomorrow 9:00: Call");
    const few = await ask("list");
    expect(few).to.contain("2 are planned").and.to.contain("standup").and.to.contain("reminder");
    await scene.db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content,
         client_id, deliver_at, kind, read_by_sender)
       SELECT realm_id, sender_id, recipient_id, channel_id, topic, content, rendered_content, client_id,
         deliver_at + interval '1 day' * n, kind, read_by_sender
       FROM scheduled_messages s, generate_series(1, 9_997) n WHERE s.sender_id = $1 AND s.content = 'Hello'`,
      [person.id],
    );
    const many = await ask("list");
    expect(many).to.contain("9999 are planned; these are the next 20:");
    expect(many.split("\n").filter((line) => line.startsWith("* "))).to.have.length(20);
  });

  it("shows the API's refusals, and changes nothing", async () => {
    const secret = await channel(scene.db, scene.org.realm, { inviteOnly: true });
    const closed = await channel(scene.db, scene.org.realm, {
      groups: { canSendMessageGroupId: scene.org.groups["role:nobody"] },
    });
    const refusals: Readonly<Record<string, RegExp>> = {
      [`send ${day} 9:00 to #${secret.name} > a: x`]: /no channel .* that you see/,
      [`send ${day} 9:00 to #nowhere-${secret.name} > a: x`]: /no channel .* that you see/,
      [`send ${day} 9:00 to #${closed.name} > a: x`]: /Nothing was changed/,
      [`send ${day} 9:00 to @**Nobody Here**: x`]: /no user called Nobody Here/,
      [`send ${day} 9:00 to nobody@nowhere.test: x`]: /no user with the address/,
      [`send 2020-01-01 9:00 to me: x`]: /passed/,
      [`send ${day} 9:00 Mars/Phobos to me: x`]: /IANA/,
      [`remind me ${day} 9:00: ${"x".repeat(501)}`]: /500/,
      "cancel 999": /no scheduled message or reminder 999/,
      [`move 999 to ${day} 9:00`]: /no scheduled message 999/,
      "send tomorrow 9:00 to #general > a x": /colon/,
      "3": /no question/,
      "good morning": /do not know this command/,
    };
    for (const [command, answer] of Object.entries(refusals))
      expect(await ask(command), command).to.match(answer);
    expect(await scheduled()).to.deep.equal([]);
  });

  it("answers a hidden channel like one that does not exist", async () => {
    const secret = await channel(scene.db, scene.org.realm, { inviteOnly: true });
    const hidden = await ask(`send ${day} 9:00 to #${secret.name} > a: x`);
    await scene.db.prisma.channel.delete({ where: { id: secret.id } });
    expect(await ask(`send ${day} 9:00 to #${secret.name} > a: x`)).to.equal(hidden);
  });

  it("refuses more pending messages than an account may have", async () => {
    await ask(`send ${day} 9:00 to me: Hello`);
    await scene.db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, topic, content, rendered_content, client_id,
         deliver_at, kind, read_by_sender)
       SELECT realm_id, sender_id, recipient_id, topic, content, rendered_content, client_id, deliver_at, kind,
         read_by_sender
       FROM scheduled_messages s, generate_series(2, $2::int) n WHERE s.sender_id = $1`,
      [person.id, bounds.pendingMessages],
    );
    expect(await ask(`send ${day} 9:00 to me: one more`)).to.match(/Nothing was changed.*10000/);
    expect(await ask("remind me tomorrow 9:00: one more")).to.match(/Nothing was changed.*10000/);
    expect(await ask("list")).to.contain("10000 are planned; these are the next 20:");
    // Series are outside this bound.
    expect(await ask("every day at 9:00 to me: Hello")).to.contain("cancel s");
  });

  it("accepts a command of 10,000 characters, and quotes 200 of them", async () => {
    const start = `send ${day} 9:00 to me: `;
    const answer = await ask(start + "x".repeat(10_000 - start.length));
    expect(answer).to.contain("`" + "x".repeat(199) + "…`");
    expect((await scheduled()).map(({ content }) => content.length)).to.deep.equal([
      10_000 - start.length,
    ]);
    for (const text of ["list ", "every ", "cancel s", "send ", "move s1 to "])
      expect((await ask(text + "x ".repeat(4_990))).length).to.be.below(500);
  });

  it("mentions no account by the names and quotes in its answers", async () => {
    const tricky = await user(scene.db, scene.org.realm, { fullName: "All" });
    await ask(
      `send ${day} 9:00 to @**All|${tricky.id}**: @**all** @_**All|${tricky.id}** <b>hi</b> \`\`\` x`,
    );
    const { html } = (await answers()).at(-1)!;
    expect(html).not.to.contain("user-mention").and.not.to.contain("<b>");
    const [{ flags } = { flags: -1 }] = await scene.db.rows<{ flags: number }>(
      "SELECT flags FROM user_messages WHERE user_id = $1 ORDER BY message_id DESC LIMIT 1",
      [person.id],
    );
    // Neither mentioned (8) nor by a wildcard (16).
    expect(flags & 24).to.equal(0);
  });

  describe("asked something ambiguous", () => {
    it("asks for the time, and accepts the number of a choice", async () => {
      const question = await ask(`send 3/4/2031 9:00 to #${room.name} > standup: Plans?`);
      expect(question)
        .to.match(/^1\. Tuesday, 4 March 2031, 09:00/m)
        .and.to.match(/^2\. Thursday, 3 April 2031/m);
      expect(await scheduled()).to.deep.equal([]);
      expect(await ask("2")).to.contain("3 April 2031");
      expect((await scheduled()).map(({ at, content }) => [at, content])).to.deep.equal([
        ["2031-04-03T07:00:00.000Z", "Plans?"],
      ]);
      expect(await ask("2")).to.match(/no question/);
    });

    it("asks for am or pm, unless the account uses a 24-hour clock", async () => {
      expect(await ask(`send ${day} at 5 to me: x`)).to.match(/05:00[^]*17:00/);
      await scene.as(person).patch("/api/v1/settings", { twenty_four_hour_time: true });
      expect(await ask(`send ${day} at 5 to me: x`))
        .to.contain("05:00")
        .and.to.contain("cancel");
    });

    it("asks for the time of a date, and for the date of a weekday with next", async () => {
      expect(await ask(`remind me ${day}: x`)).to.match(/09:00[^]*12:00[^]*17:00/);
      // The day after tomorrow: of today's weekday, only the later one is to come if it is past nine.
      const weekday = new Intl.DateTimeFormat("en", {
        weekday: "long",
        timeZone: "Europe/Berlin",
      }).format(Date.now() + 2 * 86_400_000);
      const both = new RegExp(`^1\\. ${weekday}[^]*^2\\. ${weekday}`, "m");
      expect(await ask(`remind me next ${weekday} 9:00: x`)).to.match(both);
    });

    it("asks which of two people of one name, then for the time", async () => {
      const [first, second] = [
        await user(scene.db, scene.org.realm, { fullName: "Twin Person" }),
        await user(scene.db, scene.org.realm, { fullName: "twin person" }),
      ];
      const question = await ask(`send ${day} at 5 to @**Twin Person**, me: Hi`);
      expect(question).to.contain(first.email).and.to.contain(second.email);
      expect(await ask("2.")).to.match(/05:00[^]*17:00/);
      expect(await ask("1")).to.contain("cancel");
      expect((await scheduled()).map(({ to }) => to)).to.deep.equal([[second.id]]);
    });

    it("asks for the topic if the channel requires one, and offers topics that the person has received", async () => {
      await changeChannel(scene.db, room, { topicsPolicy: "disable_empty_topic" });
      expect(await ask(`send ${day} 9:00 to #${room.name}: x`)).to.match(
        /Nothing was changed.*topic/,
      );
      for (const topic of ["lunch", "Budget", "lunch"])
        await send(scene.as(person), { type: "channel", to: room.id, topic, content: "hi" });
      const question = await ask(`send ${day} 9:00 to #${room.name}: x`);
      expect(question)
        .to.match(/^1\. lunch$/m)
        .and.to.match(/^2\. Budget$/m);
      await ask("2");
      expect((await scheduled()).map(({ topic }) => topic)).to.deep.equal(["Budget"]);
    });

    it("accepts a number for ten minutes, once, and only as the next message", async () => {
      await ask(`send ${day} at 5 to me: x`);
      expect(await ask("3")).to.match(/no question/);
      await ask(`send ${day} at 5 to me: x`);
      await ask("help");
      expect(await ask("1")).to.match(/no question/);
      await ask(`send ${day} at 5 to me: x`);
      await scene.db.rows(
        "UPDATE scheduling_bot_questions SET asked_at = now() - interval '10 minutes' WHERE user_id = $1",
        [person.id],
      );
      expect(await ask("1")).to.match(/no question/);
      expect(await scheduled()).to.deep.equal([]);
    });
  });

  describe("bot-command", () => {
    const recorded = async (work: () => Promise<unknown>) => {
      const before = await scene.db.prisma.jobIntent.count({ where: { job: "bot-command" } });
      await work();
      return (await scene.db.prisma.jobIntent.count({ where: { job: "bot-command" } })) - before;
    };

    it("is recorded only for messages of a person to the bot alone", async () => {
      const { org } = scene;
      const to = (account: TestAccount, ids: number[]) => () =>
        send(scene.as(account), toUsers(ids, { content: "help" }));
      expect(await recorded(to(person, [botId]))).to.equal(1);
      expect(await recorded(to(org.bot, [botId]))).to.equal(0);
      expect(await recorded(to(person, [botId, org.owner.id]))).to.equal(0);
      expect(await recorded(to(person, [org.notificationBot.id]))).to.equal(0);
      expect(await recorded(to(person, [person.id]))).to.equal(0);
      const mention = {
        type: "channel",
        to: room.id,
        topic: "a",
        content: "@**Scheduling Bot** help",
      };
      expect(await recorded(() => send(scene.as(person), mention))).to.equal(0);
      await work();
    });

    it("is not recorded again when the message is edited", async () => {
      const id = await send(scene.as(person), toUsers([botId], { content: "help" }));
      await work();
      const edit = () => scene.as(person).patch(`/api/v1/messages/${id}`, { content: "list" });
      expect(await recorded(edit)).to.equal(0);
      expect(await answers()).to.have.length(1);
    });

    it("ignores a command in a scheduled message, and says so", async () => {
      const at = Math.floor(Date.now() / 1_000) + 3_600;
      await scene.as(person).post(scheduledPath, {
        ...toUsers([botId], { content: `send ${day} 9:00 to me: x` }),
        scheduled_delivery_timestamp: at,
      });
      const [{ id } = { id: 0 }] = await scheduled();
      await makeDue(scene.db, id);
      await runJob(scene.db, deliverDue, { realmId: scene.org.realm.id, second: 0, tick: 1 });
      await work();
      expect((await answers()).map(({ content }) => content)).to.have.length(1);
      expect((await answers()).at(0)!.content).to.match(/scheduled.*by hand/);
      expect(await scheduled()).to.deep.equal([]);
    });

    it("answers a command once, however often the job runs", async () => {
      await send(scene.as(person), toUsers([botId], { content: `send ${day} 9:00 to me: x` }));
      const [ref = { intentId: 0, version: 0 }] = await pending();
      await answerAtOnce(scene.db, ref, 3);
      await runJob(scene.db, botCommand, ref);
      expect(await answers()).to.have.length(1);
      expect(await scheduled()).to.have.length(1);
    });

    it("answers the commands of a person in order, whichever job runs first", async () => {
      const contents = ["remind me tomorrow 9:00: one", "list", "send 3/4/2031 9:00 to me: x", "2"];
      for (const content of contents) await send(scene.as(person), toUsers([botId], { content }));
      for (const ref of (await pending()).reverse()) await runJob(scene.db, botCommand, ref);
      const said = (await answers()).map(({ content }) => content);
      expect(said).to.have.length(4);
      for (const [index, part] of ["Reminder", "1 is planned", "Which time", "April"].entries())
        expect(said[index]).to.contain(part);
    });

    it("does not answer a person whose account is deactivated", async () => {
      await send(scene.as(person), toUsers([botId], { content: "help" }));
      await scene.db.prisma.user.update({ where: { id: person.id }, data: { isActive: false } });
      await work();
      expect(await answers()).to.deep.equal([]);
      expect(await pending()).to.deep.equal([]);
    });

    it("runs fewer than 80 statements for a command that names 100 people", async () => {
      const long = `send ${day} 9:00 to ${"@**Nobody**, ".repeat(99)}me: x`;
      await send(scene.as(person), toUsers([botId], { content: long.slice(0, 10_000) }));
      const { count } = await countQueries(scene.db, work);
      expect(count).to.be.below(80);
    });
  });
});
