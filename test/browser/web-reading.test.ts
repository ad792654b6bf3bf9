import {
  channel,
  messagesPath,
  pastMessages,
  send,
  type TestAccount,
  toChannel,
  toUsers,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { holdRequests } from "./support/hold-requests.ts";
import { useWebClient } from "./support/web-client.ts";
import {
  choose,
  chooseFor,
  inList,
  messageBox,
  messageList,
  sidebar,
  sizes,
} from "./support/web-page.ts";

describe("Reading and writing in the browser client", () => {
  const scene = useWebClient();
  const hashOf = (room: { readonly id: number }, topic: string) =>
    `#narrow/channel/${room.id}/topic/${topic}`;
  const heading = (page: Page, name: string) =>
    page.getByRole("heading", { name, level: 2, exact: true }).waitFor();

  /** Two people of a channel. */
  async function pair(name: string) {
    const { db, org, person, gateway } = scene();
    const [ada, ben] = [await person("Ada Reed"), await person("Ben Rivers")];
    const room = await channel(db, org.owner, { name, subscribers: [ada, ben] });
    const say = (as: TestAccount, topic: string, content: string) =>
      send(gateway.as(as), toChannel(room.id, { topic, content }));
    return { ada, ben, room, say };
  }

  for (const { size, title, viewport } of sizes)
    describe(title, () => {
      const open = (hash: string, as: TestAccount) => scene().open(hash, { as, viewport });

      it("finds a draft in another browser, and deletes it once it is sent", async () => {
        const { ada, room } = await pair(`drafts-${size}`);
        const { page: first } = await open(hashOf(room, "plan"), ada);
        await messageBox(first).fill("Half a thought");
        const { page: second } = await open("#drafts", ada);
        await second.getByRole("link", { name: "Half a thought" }).click();
        await waitFor(async () => (await messageBox(second).inputValue()) === "Half a thought", {
          what: "the draft is in the box",
        });
        await messageBox(second).press("End");
        await messageBox(second).pressSequentially(", finished");
        await messageBox(second).press("Enter");
        await inList(second, "Half a thought, finished").waitFor();
        await second.goto(second.url().replace(/#.*/, "#drafts"));
        await second.getByText("No drafts.").waitFor();
      });

      it("mutes a topic, unmutes it, and follows it", async () => {
        const { ada, ben, room, say } = await pair(`murmur-${size}`);
        await say(ben, "quiet", "Psst");
        const { page } = await open(hashOf(room, "quiet"), ada);
        await inList(page, "Psst").waitFor();
        const menu = page.getByRole("button", { name: "Topic", exact: true });
        await choose(menu, "Mute the topic");
        const inMenu = async (entry: string) => {
          await menu.press("Enter");
          await page.locator("[role=menuitem]:focus").waitFor();
          await page.getByRole("menuitem", { name: entry, exact: true }).waitFor();
          await page.keyboard.press("Escape");
          await page.getByRole("menu").waitFor({ state: "detached" });
        };
        await inMenu("Unmute the topic");
        await page.goto(page.url().replace(/#.*/, "#drafts"));
        await say(ben, "quiet", "Nothing");
        await say(ben, "loud", "Something");
        // The muted topic is not counted.
        const link = (await sidebar(page)).getByRole("link", { name: `murmur-${size} 1 unread` });
        await link.waitFor();
        await page.goto(page.url().replace(/#.*/, hashOf(room, "quiet")));
        await inList(page, "Nothing").waitFor();
        await choose(menu, "Unmute the topic");
        await inMenu("Mute the topic");
        await choose(menu, "Follow the topic");
        await inMenu("Stop following the topic");
        await choose(menu, "Mute the channel");
        await inMenu("Unmute the channel");
        expect(await page.getByRole("alert").count()).to.equal(0);
      });

      it("shows who is there and who is typing, and a person's profile", async () => {
        const { ada, ben } = await pair(`presence-${size}`);
        const { gateway } = scene();
        await send(gateway.as(ben), toUsers([ada.id], { content: "Hello Ada" }));
        const { page: hers } = await open("#feed", ada);
        const inSidebar = (await sidebar(hers)).getByRole("link", { name: /Ben Rivers/ });
        await inSidebar.getByRole("img", { name: "Offline" }).waitFor();
        const { page: his } = await open(`#narrow/dm/${ada.id}`, ben);
        await inSidebar.getByRole("img", { name: "Active" }).waitFor();
        await inSidebar.click();
        await inList(hers, "Hello Ada").waitFor();
        await messageBox(his).pressSequentially("W");
        await hers.getByText("Ben Rivers is typing…").waitFor();
        await messageBox(his).press("Enter");
        await inList(hers, "W").waitFor();
        await hers.getByText("Ben Rivers is typing…").waitFor({ state: "detached" });

        await messageList(hers).getByRole("button", { name: "Ben Rivers" }).first().press("Enter");
        const card = hers.getByRole("dialog", { name: "Ben Rivers" });
        await card.getByText("Active", { exact: true }).waitFor();
        await card.getByText("Member", { exact: true }).waitFor();
        await card.getByRole("button", { name: "Mute this person" }).click();
        await card.getByRole("button", { name: "Unmute this person" }).waitFor();
        await hers.keyboard.press("Escape");
        await inList(hers, "A message from someone you have muted").first().waitFor();
        expect(await inList(hers, "Hello Ada").count()).to.equal(0);
        await messageList(hers).getByRole("button", { name: "Ben Rivers" }).first().press("Enter");
        await card.getByRole("link", { name: "Messages of this person" }).click();
        await hers.waitForURL(new RegExp(`#narrow/sender/${ben.id}$`));
      });

      it("moves a topic, resolves it, and goes along", async () => {
        const { ada, ben, room, say } = await pair(`moving-${size}`);
        const { db, org } = scene();
        const other = await channel(db, org.owner, {
          name: `archive-${size}`,
          subscribers: [ada, ben],
        });
        await say(ada, "old", "First");
        await say(ben, "old", "Second");
        const { page: hers } = await open(hashOf(room, "old"), ada);
        const { page: his } = await open(hashOf(room, "old"), ben);
        await inList(his, "Second").waitFor();
        await inList(hers, "First").waitFor();
        await chooseFor(hers, "First", "Move");
        const dialog = hers.getByRole("dialog", { name: "Move messages" });
        await dialog.getByRole("combobox", { name: "New channel" }).selectOption(`archive-${size}`);
        await dialog.getByRole("textbox", { name: "New topic" }).fill("new");
        await dialog.getByRole("radio", { name: "All messages of the topic" }).check();
        await dialog.getByRole("button", { name: "Move" }).click();
        for (const page of [hers, his]) {
          await heading(page, `#archive-${size} › new`);
          await inList(page, "Second").waitFor();
        }
        expect(his.url()).to.match(new RegExp(`${hashOf(other, "new")}$`));
        await chooseFor(his, "Second", "Mark the topic as resolved");
        await heading(hers, `#archive-${size} › ✔ new`);
        await inList(hers, "First").waitFor();
        await chooseFor(his, "Second", "Mark the topic as unresolved");
        await heading(hers, `#archive-${size} › new`);
      });

      it("marks messages as unread and read, stars them, and deletes them", async () => {
        const { ada, ben, room, say } = await pair(`marks-${size}`);
        const ids = [];
        for (const content of ["One", "Two", "Three"]) ids.push(await say(ada, "t", content));
        await say(ben, "t", "Four");
        const { page } = await open(hashOf(room, "t"), ada);
        await inList(page, "Four").waitFor();
        await chooseFor(page, "Two", "Mark as unread from here");
        await (await sidebar(page)).getByRole("link", { name: `marks-${size} 3 unread` }).waitFor();
        await page.keyboard.press("Escape");
        await page.goto(page.url().replace(/#.*/, `#narrow/channel/${room.id}`));
        await choose(page.getByRole("button", { name: "Topic", exact: true }), "Mark all as read");
        await (
          await sidebar(page)
        )
          .getByRole("link", { name: `marks-${size}`, exact: true })
          .waitFor();

        await page.goto(page.url().replace(/#.*/, hashOf(room, "t")));
        const three = messageList(page).getByRole("article").filter({ hasText: "Three" });
        await three.getByRole("button", { name: "Star", exact: true }).press("Enter");
        await three.getByRole("img", { name: "Starred" }).waitFor();
        await (await sidebar(page)).getByRole("link", { name: "Starred" }).click();
        await heading(page, "Starred");
        await inList(page, "Three").waitFor();
        expect(await messageList(page).getByRole("article").count()).to.equal(1);
        await chooseFor(page, "Three", "Delete");
        await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
        await page.getByText("No messages here yet.").waitFor();
      });

      it("highlights what a search has found in messages and topics", async () => {
        const { ada, ben, room, say } = await pair(`lookup-${size}`);
        await say(ben, "heron census", "They nest in the <reeds> & the heron sleeps");
        const { page } = await open(hashOf(room, "elsewhere"), ada);
        await page.getByRole("searchbox", { name: "Search messages" }).fill("heron");
        await page.keyboard.press("Enter");
        await inList(page, "heron").first().waitFor();
        expect(await messageList(page).locator(".highlight").allTextContents()).to.deep.equal([
          "heron",
          "heron",
        ]);
        const link = messageList(page).getByRole("link", {
          name: `#lookup-${size} › heron census`,
        });
        expect(await link.locator(".highlight").textContent()).to.equal("heron");
        await link.click();
        await heading(page, `#lookup-${size} › heron census`);
        await messageList(page).getByText("They nest in the <reeds> & the heron sleeps").waitFor();
      });

      it("keeps the caret while the preview is open, and links a file there", async () => {
        const { ada, room } = await pair(`caret-${size}`);
        const { page } = await open(hashOf(room, "files"), ada);
        await messageBox(page).fill("See  for details");
        await page.evaluate("document.querySelector('.compose-message').setSelectionRange(4, 4)");
        await page.getByRole("button", { name: "Preview" }).click();
        await page.getByRole("region", { name: "Preview" }).getByText("See for details").waitFor();
        await page.locator("input[type=file]").setInputFiles({
          name: "notes.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("notes"),
        });
        await page.getByRole("region", { name: "Preview" }).getByRole("link").waitFor();
        await page.getByRole("button", { name: "Edit", exact: true }).click();
        await page.locator("textarea:focus").waitFor();
        await page.keyboard.type(" (new)");
        expect(await messageBox(page).inputValue()).to.match(
          /^See \[notes.txt\]\(\/user_uploads\/[^)]+\) \(new\) for details$/,
        );
      });

      it("shows a list in the preview as in a message", async () => {
        const { ada, ben, room, say } = await pair(`lists-${size}`);
        await say(ben, "plan", "- first");
        const { page } = await open(hashOf(room, "plan"), ada);
        const styleOf = (entry: Locator) =>
          entry.evaluate((element) => {
            const { display, listStyleType, paddingInlineStart } = getComputedStyle(element);
            return { display, listStyleType, paddingInlineStart };
          });
        const inMessage = await styleOf(messageList(page).getByRole("listitem"));
        await messageBox(page).fill("- second");
        await page.getByRole("button", { name: "Preview" }).click();
        const preview = page.getByRole("region", { name: "Preview" });
        expect(await styleOf(preview.getByRole("listitem"))).to.deep.equal(inMessage);
        expect(inMessage.display).to.equal("list-item");
      });

      it("ends an upload when the person leaves its view", async () => {
        const { ada, room } = await pair(`left-${size}`);
        const { page, context } = await open(hashOf(room, "files"), ada);
        const release = await holdRequests(context, "**/api/v1/user_uploads");
        await messageBox(page).fill("Half a thought");
        await page.locator("input[type=file]").setInputFiles({
          name: "notes.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("notes"),
        });
        await page.getByRole("progressbar", { name: "Uploading notes.txt" }).waitFor();
        const ended = page.waitForEvent("requestfailed", {
          predicate: (request) => request.url().endsWith("/user_uploads"),
        });
        await page.evaluate("location.hash = '#drafts'");
        await ended;
        release();
        await page.evaluate(`location.hash = ${JSON.stringify(hashOf(room, "files"))}`);
        await messageBox(page).fill("A whole thought");
        await page.reload();
        await waitFor(async () => (await messageBox(page).inputValue()) === "A whole thought", {
          what: "the box has the later text",
        });
      });

      it("offers the newest message in an empty search that has missed one", async () => {
        const { ada, ben, say } = await pair(`missed-${size}`);
        const { page, context } = await open(`#narrow/search/ibis-${size}`, ada);
        await page.getByText("No messages here yet.").waitFor();
        await context.route("**/api/v1/messages/matches_narrow*", (route) =>
          route.fulfill({ status: 400, json: { result: "error", code: "BAD_REQUEST", msg: "no" } }),
        );
        await say(ben, "birds", `An ibis-${size}`);
        await page.getByRole("button", { name: "Go to the newest message" }).click();
        await messageList(page).getByText("An ibis").waitFor();
        expect(await page.getByText("No messages here yet.").count()).to.equal(0);
      });

      it("links a dropped file where the caret was, and uploads again what has failed", async () => {
        const { ada, room } = await pair(`upload-${size}`);
        const { page, context } = await open(hashOf(room, "files"), ada);
        let requests = 0;
        await context.route("**/api/v1/user_uploads", (route) =>
          requests++ === 0 ? route.abort() : route.fallback(),
        );
        const release = await holdRequests(context, "**/api/v1/user_uploads");
        await messageBox(page).fill("See  for details");
        await page.evaluate(`(() => {
          const box = document.querySelector(".compose-message");
          box.setSelectionRange(4, 4);
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(["notes"], "notes.txt", { type: "text/plain" }));
          const init = { bubbles: true, cancelable: true, dataTransfer };
          box.dispatchEvent(new DragEvent("drop", init));
        })()`);
        await page.getByRole("progressbar", { name: "Uploading notes.txt" }).waitFor();
        await messageBox(page).press("Home");
        await messageBox(page).pressSequentially("Please: ");
        release();
        await page.getByRole("alert").filter({ hasText: "notes.txt was not uploaded." }).waitFor();
        await page.getByRole("button", { name: "Try again to upload notes.txt" }).press("Enter");
        const hasText = (text: RegExp) =>
          waitFor(async () => text.test(await messageBox(page).inputValue()), {
            what: `the text is ${text}`,
          });
        await hasText(/^Please: See \[notes.txt\]\(\/user_uploads\/[^)]+\) for details$/);
        // The caret is where the person was typing.
        await messageBox(page).pressSequentially("do ");
        await hasText(/^Please: do See \[notes/);
        // A caret that is still where the file was added is behind the link.
        await messageBox(page).fill("");
        await page.locator("input[type=file]").setInputFiles({
          name: "two.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("two"),
        });
        await hasText(/^\[two.txt\]\([^)]+\)$/);
        await messageBox(page).pressSequentially(" end");
        await hasText(/^\[two.txt\]\([^)]+\) end$/);
        expect(await page.getByRole("alert").count()).to.equal(0);
      });

      it("signs in, reads, replies, reacts and schedules by the keyboard alone", async () => {
        const { db, org, person, gateway } = scene();
        const fay = await person("Fay", "four quiet herons drink");
        const room = await channel(db, org.owner, {
          name: `keys-${size}`,
          subscribers: [fay, org.owner],
        });
        await send(gateway.as(org.owner), toChannel(room.id, { topic: "one", content: "A note" }));
        const { page } = await scene().open("", { viewport });
        const { keyboard } = page;
        /** Presses Tab until a control has the focus. */
        const tabTo = async (control: Locator) => {
          await control.first().waitFor();
          for (let presses = 0; presses < 100; presses++) {
            if ((await page.locator(":focus").and(control).count()) > 0) return;
            await keyboard.press("Tab");
          }
          throw new Error("Tab does not reach the control");
        };
        await tabTo(page.getByRole("textbox", { name: "E-mail address" }));
        await keyboard.type(fay.deliveryEmail);
        await tabTo(page.getByLabel("Password", { exact: true }));
        await keyboard.type("four quiet herons drink");
        await keyboard.press("Enter");

        await page.getByText("Loading…").waitFor({ state: "detached" });
        await inList(page, "A note").waitFor();
        await keyboard.press("s");
        await heading(page, `#keys-${size} › one`);
        await inList(page, "A note").waitFor();
        await keyboard.press("r");
        await page.locator("textarea:focus").waitFor();
        await keyboard.type("By hand");
        await keyboard.press("Enter");
        await inList(page, "By hand").waitFor();
        await keyboard.press("Escape");
        await page.locator("textarea:focus").waitFor({ state: "detached" });
        await keyboard.press("k");
        await keyboard.press("+");
        await page.locator("dialog input:focus").waitFor();
        await keyboard.type("tada");
        await page.getByRole("dialog").getByRole("button", { name: "tada" }).waitFor();
        await keyboard.press("Enter");
        await messageList(page).getByRole("button", { name: "tada 1: Fay" }).waitFor();

        await keyboard.press("c");
        await page.locator("textarea:focus").waitFor();
        await keyboard.type("Later");
        await tabTo(page.getByRole("button", { name: "Send later" }));
        await keyboard.press("Enter");
        await page.locator("[role=menuitem]:focus").waitFor();
        await keyboard.press("Enter");
        await page.getByRole("status").filter({ hasText: "Scheduled." }).waitFor();
        if (size === "phone") {
          await tabTo(page.getByRole("button", { name: "Menu", exact: true }));
          await keyboard.press("Enter");
        }
        await tabTo(page.getByRole("link", { name: "My schedule" }));
        await keyboard.press("Enter");
        await heading(page, "My schedule");
        await page.getByRole("listitem").filter({ hasText: "Later" }).waitFor();
      });

      it("opens at the first unread of many messages, and keeps its place when some move in above", async () => {
        const { ada, ben, room } = await pair(`crowd-${size}`);
        const { db, gateway, org } = scene();
        const ids: number[] = [];
        for (let at = 0; at < 12; at++)
          for (const topic of ["long", "aside"]) {
            const count = topic === "long" ? 100 : 3;
            ids.push(...(await pastMessages(db, room, ben, { count, topic, daysAgo: 1 })));
          }
        const aside = ids.filter((_, at) => at % 103 >= 100);
        // Ten messages behind some of the other topic.
        const readCount = 5 * 103 + 10;
        const asAda = gateway.as(ada);
        await asAda.post("/api/v1/messages/flags", {
          messages: ids.slice(0, readCount),
          op: "add",
          flag: "read",
        });
        const firstUnread = ids[readCount] ?? 0;
        const { page } = await open(hashOf(room, "long"), ada);
        const row = page.locator(`[data-message-id="${firstUnread}"]`);
        await row.getByText("New messages").waitFor();
        const top = async () => Math.round((await row.boundingBox())?.y ?? NaN);
        const list = await messageList(page).boundingBox();
        await waitFor(async () => (await top()) >= (list?.y ?? 0), { what: "the row is in view" });
        expect(await top()).to.be.lessThan((list?.y ?? 0) + 200);
        const before = await top();
        // Moves messages into the loaded part above the first unread message.
        const moved = aside.filter((id) => id < firstUnread).slice(-3);
        const patch = await gateway.as(org.owner).patch(`${messagesPath}/${moved[0]}`, {
          topic: "long",
          propagate_mode: "change_later",
          send_notification_to_new_thread: false,
          send_notification_to_old_thread: false,
        });
        expect(patch.status).to.equal(200);
        await page.locator(`[data-message-id="${moved.at(-1)}"]`).waitFor({ state: "attached" });
        expect(await top()).to.equal(before);
      });
    });
});
