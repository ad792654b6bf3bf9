import {
  changeChannel,
  channel,
  channelMessage,
  createdSeries,
  dailySeries,
  deliverNow,
  inChannel,
  inSeconds,
  messagesOf,
  remind,
  remindersOf,
  recordOf,
  schedule,
  scheduledOf,
  send,
  seriesOf,
  succeeded,
  type TestAccount,
  type TestChannel,
  toChannel,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { seriousFaults } from "./support/axe.ts";
import { holdRequests } from "./support/hold-requests.ts";
import { useWebClient } from "./support/web-client.ts";
import { messageBox } from "./support/web-page.ts";

describe("Sending later with the browser client", () => {
  const scene = useWebClient();
  let ben: TestAccount;
  before(async () => {
    ben = await scene().person("Ben");
  });
  for (const width of [1_200, 390]) describe(`at ${width} px`, () => atWidth(width));

  function atWidth(width: number) {
    let ada: TestAccount;
    let room: TestChannel;
    const as = (account = ada) => scene().gateway.as(account);

    beforeEach(async () => {
      ada = await scene().person("Ada");
      room = await channel(scene().db, scene().org.owner, { subscribers: [ada, ben] });
    });

    const open = async (hash: string) => {
      const opened = await scene().open(hash, { as: ada, viewport: { width, height: 844 } });
      return opened.page;
    };
    const button = (from: Page | Locator, name: string) =>
      from.getByRole("button", { name, exact: true });
    /** Opens a topic, writes a message and opens the menu of "Send later". */
    const compose = async (content: string) => {
      const page = await open(`#narrow/channel/${room.id}/topic/herons`);
      await messageBox(page).fill(content);
      await button(page, "Send later").click();
      return page;
    };
    const choose = (page: Page, name: RegExp) => page.getByRole("menuitem", { name }).click();
    const section = (page: Page, name: RegExp) => page.getByRole("region", { name });
    const entry = (page: Page, name: RegExp, text: string) =>
      section(page, name).getByRole("listitem").filter({ hasText: text });
    const boxHas = (page: Page, text: string) =>
      waitFor(async () => (await messageBox(page).inputValue()) === text, {
        what: `the box has ${text}`,
      });
    /** The local time of an instant. */
    const local = (seconds: number | undefined, timeZone: string) =>
      new Date((seconds ?? 0) * 1_000).toLocaleString("sv", { timeZone });
    const sent = async () => (await messagesOf(as(), inChannel(room.id))).map((one) => one.content);

    it("sends at a time of the menu, says when, and takes it back", async () => {
      const page = await compose("Feed the herons");
      // By keyboard: the menu has the focus, and arrows walk through it.
      await page.locator("[role=menuitem]:focus").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      const notice = page.getByRole("status").filter({ hasText: "Scheduled. It is sent in" });
      await notice.waitFor();
      await boxHas(page, "");
      const [record, ...more] = await scheduledOf(as());
      expect(more).to.deep.equal([]);
      expect(record).to.include({ content: "Feed the herons", to: room.id, topic: "herons" });
      const at = local(record?.scheduled_delivery_timestamp, "Europe/Berlin");
      expect(at).to.match(/ 09:00:00$/);
      expect(await notice.textContent()).to.include(`${Number(at.slice(8, 10))}, 20`);

      await button(page, "Undo").click();
      await boxHas(page, "Feed the herons");
      expect(await scheduledOf(as())).to.deep.equal([]);

      await button(page, "Send later").click();
      await choose(page, /^In an hour/);
      await notice.waitFor();
      const [again] = await scheduledOf(as());
      const { db, org } = scene();
      await deliverNow(db, org.realm, [again?.scheduled_message_id ?? 0]);
      // What is sent cannot be taken back.
      await notice.waitFor({ state: "detached" });
      await page.getByRole("log").getByText("Feed the herons").waitFor();
    });

    it("sends at a date and time of another zone, and keeps the words when it is refused", async () => {
      const page = await compose("Good morning, New York");
      await choose(page, /^Choose a date and time/);
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Date").fill("2020-01-01");
      await dialog.getByText("this time has passed").waitFor();
      await button(dialog, "Schedule").click();
      await dialog.getByRole("alert").waitFor();
      expect(await messageBox(page).inputValue()).to.equal("Good morning, New York");

      await dialog.getByLabel("Date").fill("2031-03-09");
      await dialog.getByLabel("Time", { exact: true }).fill("02:30");
      await dialog.getByLabel("Time zone").fill("America/New_York");
      // Clocks go forward at two.
      await dialog.getByText("Clocks skip the chosen time").waitFor();
      await button(dialog, "Schedule").click();
      await page.getByRole("status").filter({ hasText: "Scheduled." }).waitFor();
      const [record] = await scheduledOf(as());
      expect(local(record?.scheduled_delivery_timestamp, "UTC")).to.equal("2031-03-09 07:00:00");
      await page.getByRole("link", { name: "My schedule", exact: true }).last().click();
      await entry(page, /^Upcoming/, "Good morning, New York").waitFor();
    });

    it("keeps the words when a time of the menu is refused", async () => {
      await changeChannel(scene().db, room, { isArchived: true });
      const page = await compose("Nobody reads this");
      await choose(page, /^In an hour/);
      await page.getByRole("alert").filter({ hasText: "Not scheduled:" }).waitFor();
      expect(await messageBox(page).inputValue()).to.equal("Nobody reads this");
    });

    it("repeats by a rule, after a preview of the next five times", async () => {
      const page = await compose("What do you plan?");
      await choose(page, /^Repeat/);
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Repeats").selectOption("Weekly");
      await dialog.getByLabel("Monday").uncheck();
      await dialog.getByLabel("Friday").check();
      await dialog.getByLabel("Starts on").fill("2031-01-01");
      const next = dialog.getByRole("region", { name: "Next five times" }).getByRole("listitem");
      await waitFor(async () => (await next.first().textContent())?.startsWith("Fri, Jan 3,"), {
        what: "the preview follows the rule",
      });
      expect(await next.count()).to.equal(5);
      await dialog.getByLabel("Ends").selectOption("On a date");
      await dialog.getByLabel("Last day").fill("2031-01-20");
      const preview = dialog.getByRole("region", { name: "Next five times" });
      await preview.getByText("The series ends with these.").waitFor();
      const times = await preview.getByRole("listitem").allTextContents();
      expect(times.map((time) => time.slice(0, 11))).to.deep.equal([
        "Fri, Jan 3,",
        "Fri, Jan 10",
        "Fri, Jan 17",
      ]);
      await button(dialog, "Schedule").click();
      await page.getByRole("status").filter({ hasText: "sent for the first time" }).waitFor();
      const [record] = await scheduledOf(as());
      expect(local(record?.scheduled_delivery_timestamp, "Europe/Berlin")).to.equal(
        "2031-01-03 09:00:00",
      );
    });

    it("does not send what somebody has replied to, and says so at once", async () => {
      const page = await compose("Did anybody feed them?");
      await choose(page, /^Unless someone replies/);
      const dialog = page.getByRole("dialog");
      expect(await dialog.getByLabel("if someone replies before then").isChecked()).to.equal(true);
      await button(dialog, "Schedule").click();
      await page.getByRole("link", { name: "My schedule", exact: true }).last().click();
      await entry(page, /^Upcoming/, "Not sent if someone replies").waitFor();

      await send(as(ben), toChannel(room.id, { topic: "herons", content: "I did" }));
      const [record] = await scheduledOf(as());
      await deliverNow(scene().db, scene().org.realm, [record?.scheduled_message_id ?? 0]);
      const withheld = entry(page, /^Withheld/, "Did anybody feed them?");
      await withheld.getByText("someone replied").waitFor();
      await withheld.getByRole("link", { name: "See the reply" }).click();
      await page.getByRole("log").getByText("I did").waitFor();
      expect(await sent()).to.deep.equal(["I did"]);
    });

    it("moves a message by a check-in, and withholds one that is not needed any more", async () => {
      const page = await compose("Nobody has looked after the herons");
      await choose(page, /^Unless someone replies/);
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("if someone replies before then").uncheck();
      await dialog.getByLabel("if you check in before then").check();
      await dialog.getByLabel("When I check in").selectOption("Send it a day later");
      await button(dialog, "Schedule").click();
      await page.getByRole("link", { name: "My schedule", exact: true }).last().click();
      const planned = entry(page, /^Upcoming/, "Nobody has looked after the herons");
      await planned.getByText("Not sent as long as you check in regularly").waitFor();
      const [before] = await scheduledOf(as());
      const id = before?.scheduled_message_id ?? 0;
      const day = inSeconds(86_400);
      await button(planned, "Check in").click();
      await page.getByText("unless you check in again").waitFor();
      const moved = (await recordOf(as(), id)).scheduled_delivery_timestamp;
      expect(moved).to.be.within(day - 2, day + 120);
      await planned.getByText("Last check-in:").waitFor();

      await button(planned, "Edit").click();
      await dialog.getByLabel("When I check in").selectOption("Do not send it");
      await button(dialog, "Save").click();
      await planned.getByText("Not sent if you check in before then").waitFor();
      await button(planned, "Check in").click();
      await page.getByText("Checked in. The message will not be sent.").waitFor();
      await deliverNow(scene().db, scene().org.realm, [id]);
      await entry(page, /^Withheld/, "Nobody has looked")
        .getByText("someone had checked in")
        .waitFor();
      expect(await sent()).to.deep.equal([]);
    });

    it("reminds of a message, shows the reminder, and deletes it", async () => {
      const { db, org } = scene();
      const message = await send(
        as(ben),
        toChannel(room.id, { topic: "herons", content: "Count the eggs on Friday" }),
      );
      const page = await open(`#narrow/channel/${room.id}/topic/herons`);
      const row = page.getByRole("log").getByText("Count the eggs on Friday");
      await row.hover();
      await page.getByRole("log").getByRole("button", { name: "More" }).first().press("Enter");
      await page.locator("[role=menuitem]:focus").waitFor();
      await page.getByRole("menuitem", { name: "Remind me…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Date").fill("2020-01-01");
      await button(dialog, "Remind me").click();
      await dialog.getByRole("alert").waitFor();
      await dialog.getByLabel("Date").fill("2031-05-02");
      await dialog.getByLabel("Time", { exact: true }).fill("08:15");
      await dialog.getByLabel("Note").fill("Bring the list");
      await button(dialog, "Remind me").click();
      await dialog.waitFor({ state: "detached" });
      const [reminder] = await remindersOf(as());
      expect(reminder).to.include({ reminder_target_message_id: message });
      expect(local(reminder?.scheduled_delivery_timestamp, "Europe/Berlin")).to.equal(
        "2031-05-02 08:15:00",
      );

      await page.goto(`${scene().gateway.url}/#schedule`);
      const listed = entry(page, /^Reminders/, "Bring the list");
      await listed.getByText("Count the eggs on Friday").waitFor();
      await listed.getByRole("link", { name: "Go to the message" }).click();
      await row.waitFor();
      await page.goto(`${scene().gateway.url}/#schedule`);
      await button(listed, "Delete").click();
      await listed.waitFor({ state: "detached" });
      expect(await remindersOf(as())).to.deep.equal([]);

      // Another program's reminder is shown at once, and leaves when it is sent.
      const id = await remind(as(), message);
      await entry(page, /^Reminders/, "Count the eggs").waitFor();
      await deliverNow(db, org.realm, [id]);
      await page.getByText("Nothing is scheduled.").waitFor();
    });

    it("shows why a message failed, and sends it at a new time", async () => {
      const { db, org } = scene();
      const page = await open("#schedule");
      await page.getByText("Nothing is scheduled.").waitFor();
      const id = await schedule(as(), channelMessage(room.id, { content: "The minutes" }));
      await button(entry(page, /^Upcoming/, "The minutes"), "Edit").click();
      const text = page.getByRole("dialog").getByLabel("Message");
      await text.fill("Better words");
      await changeChannel(db, room, { isArchived: true });
      await deliverNow(db, org.realm, [id]);
      await page.getByText("This channel is archived").waitFor();
      expect(await text.inputValue()).to.equal("Better words");
      await page.keyboard.press("Escape");
      const failed = entry(page, /^Failed/, "The minutes");
      await failed.waitFor();
      expect(await failed.locator("time").textContent()).to.match(/ ago/);
      await page.getByText("1 failed").waitFor({ state: "attached" });
      expect(await seriousFaults(page)).to.deep.equal([]);
      const size = await page.evaluate<number[]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      expect(size[0]).to.be.at.most(size[1] ?? 0);

      await changeChannel(db, room, { isArchived: false });
      await button(failed, "New time").click();
      await button(page.getByRole("dialog"), "Schedule").click();
      await entry(page, /^Upcoming/, "The minutes").waitFor();
      expect((await recordOf(as(), id)).failed).to.equal(false);
      await deliverNow(db, org.realm, [id]);
      await page.getByText("Nothing is scheduled.").waitFor();
      expect(await sent()).to.deep.equal(["The minutes"]);
    });

    it("changes text, topic and time, sends now, and deletes with a way back", async () => {
      const { db, org } = scene();
      const id = await schedule(as(), channelMessage(room.id, { content: "Draft" }));
      const page = await open("#schedule");
      // The conditions arrive after the dialog is open.
      const release = await holdRequests(page, "**/scheduled_messages/conditions*");
      await page.reload();
      const draft = entry(page, /^Upcoming/, "Draft");
      expect(await draft.locator("time").getAttribute("title")).to.match(/20\d\d at .* GMT[+]\d/);
      await button(draft, "Edit").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Message").fill("Final *text*");
      release();
      await dialog.getByRole("textbox", { name: "Topic" }).fill("ponds");
      await dialog.getByLabel("Date").fill("2031-05-01");
      await dialog.getByLabel("Time", { exact: true }).fill("17:45");
      await dialog.getByLabel("if the topic is resolved").check();
      expect(await seriousFaults(page)).to.deep.equal([]);
      await button(dialog, "Save").click();
      const final = entry(page, /^Upcoming/, "Final text");
      await final.getByText("Not sent if the topic is resolved").waitFor();
      const changed = await recordOf(as(), id);
      expect(changed).to.include({ content: "Final *text*", topic: "ponds" });
      expect(local(changed.scheduled_delivery_timestamp, "Europe/Berlin")).to.equal(
        "2031-05-01 17:45:00",
      );

      await button(final, "Delete").click();
      await page.getByText("The message will not be sent.").waitFor();
      expect(await scheduledOf(as())).to.deep.equal([]);
      await button(page, "Undo").click();
      await final.getByText("Not sent if the topic is resolved").waitFor();
      const [restored] = await scheduledOf(as());
      const again = restored?.scheduled_message_id ?? 0;
      expect(restored).to.deep.equal({ ...changed, scheduled_message_id: again });

      await button(final, "Send now").click();
      await page.getByText("The message is being sent.").waitFor();
      expect((await recordOf(as(), again)).scheduled_delivery_timestamp).to.be.below(
        inSeconds(600),
      );
      await deliverNow(db, org.realm, [again]);
      await final.waitFor({ state: "detached" });
      expect(await sent()).to.deep.equal(["Final *text*"]);
    });

    it("skips, pauses, resumes, edits and deletes a series, and sends it now", async () => {
      const id = await createdSeries(as(), dailySeries(room.id, { content: "Plans?" }));
      const before = await seriesOf(as(), id);
      const page = await open("#schedule");
      const series = entry(page, /^Repeating/, "Plans?");
      await series.getByText("Every day at").waitFor();
      const becomes = (what: string, is: () => Promise<boolean>) => waitFor(is, { what });
      const now = () => seriesOf(as(), id);

      await button(series, "Skip the next one").click();
      await page.getByText("Skipped. The next one is sent on").waitFor();
      const skipped = await now();
      expect(skipped.next_occurrence).not.to.equal(before.next_occurrence);
      // The next message of a series is also in the list of upcoming messages, and can be skipped there.
      await button(entry(page, /^Upcoming/, "Plans?"), "Skip").click();
      await becomes(
        "another one is skipped",
        async () => (await now()).next_occurrence !== skipped.next_occurrence,
      );

      await button(series, "Pause").click();
      await series.getByText("Paused").waitFor();
      expect((await now()).state).to.equal("paused");
      await button(series, "Send now").click();
      await becomes("it is sent now", async () => (await sent()).join() === "Plans?");
      await button(series, "Resume").click();
      await button(series, "Pause").waitFor();
      expect((await now()).state).to.equal("active");

      await button(series, "Edit").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Message").fill("What next?");
      await dialog.getByLabel("Repeats").selectOption("Monthly");
      await dialog.getByLabel("On day").selectOption("last day");
      await button(dialog, "Save").click();
      const edited = entry(page, /^Repeating/, "What next?");
      await edited.getByText("Every month on the last day").waitFor();
      expect(await now()).to.include({
        content: "What next?",
        rrule: "FREQ=MONTHLY;BYMONTHDAY=-1",
      });
      await edited.getByText("Next times and results").click();
      await edited.getByText("skipped").first().waitFor();

      await button(edited, "Delete").click();
      await button(page.getByRole("dialog"), "Delete").click();
      await edited.waitFor({ state: "detached" });
      const { message_series: left } = succeeded(await as().get("/api/v1/message_series"));
      expect(left).to.deep.equal([]);
    });
  }
});
