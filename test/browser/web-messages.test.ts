import {
  channel,
  messagesPath,
  pastMessages,
  send,
  type TestAccount,
  toChannel,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { seriousFaults } from "./support/axe.ts";
import { useWebClient } from "./support/web-client.ts";
import { inList, messageBox, messageList } from "./support/web-page.ts";

const password = "four quiet herons drink";

describe("The browser client", () => {
  const scene = useWebClient();

  /** Sends messages to a topic, one after the other. */
  async function say(as: TestAccount, to: number, topic: string, ...contents: string[]) {
    for (const content of contents)
      await send(scene().gateway.as(as), toChannel(to, { topic, content }));
  }

  it("signs in with a password, shows what is unread, and forgets the key", async () => {
    const { db, open, person, org } = scene();
    const mia = await person("Mia", password);
    const room = await channel(db, org.owner, { name: "reeds", subscribers: [mia, org.owner] });
    await say(org.owner, room.id, "fishing", "Three frogs today");
    const { page, complaints } = await open("");
    await page.getByRole("textbox", { name: "E-mail address" }).fill(mia.deliveryEmail);
    await page.getByLabel("Password", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();

    await page.getByRole("link", { name: /reeds.*1 unread/ }).click();
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /fishing/ })
      .click();
    await inList(page, "Three frogs today").waitFor();
    expect(page.url()).to.match(new RegExp(`#narrow/channel/${room.id}/topic/fishing$`));
    // What was seen is read.
    await page.getByRole("link", { name: /reeds$/ }).waitFor();
    // The wrong password, demo accounts, which this server has none of, and pictures of another site.
    expect(complaints.filter((one) => !/ 40[14] |ERR_/.test(one))).to.deep.equal([]);

    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.to.include(mia.apiKey);
  });

  it("shows a message, its change, a reaction and its deletion in another browser", async () => {
    const { db, open, person, org } = scene();
    const [ada, ben] = [await person("Ada"), await person("Ben")];
    const room = await channel(db, org.owner, { subscribers: [ada, ben] });
    const hash = `#narrow/channel/${room.id}/topic/live`;
    const { page: hers } = await open(hash, { as: ada });
    const { page: his } = await open(hash, { as: ben });
    await his.getByText("No messages here yet.").waitFor();
    await hers.keyboard.press("c");
    await hers.locator("textarea:focus").waitFor();
    await messageBox(hers).pressSequentially("Hi **Ben**");
    await his.getByText("Ada is typing…").waitFor();
    await hers.keyboard.press("Enter");
    await messageList(his).locator("strong", { hasText: "Ben" }).waitFor();
    expect(await his.getByText("Ada is typing…").count()).to.equal(0);

    await his.keyboard.press("+");
    await his.getByRole("dialog").getByRole("button", { name: "tada" }).click();
    await hers.getByRole("button", { name: "tada 1: Ben" }).waitFor();

    await messageBox(hers).blur();
    await hers.keyboard.press("e");
    const edit = hers.getByRole("textbox", { name: "Edit" });
    await edit.fill("Hello again");
    await edit.press("Enter");
    await inList(his, "Hello again").waitFor();
    expect(await messageList(his).locator("strong").count()).to.equal(0);

    await messageList(hers).getByRole("button", { name: "More" }).press("Enter");
    // The menu has the focus, so that arrows walk through it.
    await waitFor(() => hers.evaluate<boolean>("document.activeElement?.role === 'menuitem'"), {
      what: "the menu has the focus",
    });
    await hers.getByRole("menuitem", { name: "Delete" }).click();
    await hers.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await his.getByText("No messages here yet.").waitFor();
  });

  it("keeps a message without network, over a reload, and sends it once", async () => {
    const { db, open, person, org, gateway } = scene();
    const cem = await person("Cem");
    const room = await channel(db, org.owner, { subscribers: [cem] });
    const hash = `#narrow/channel/${room.id}/topic/storm`;
    const { page, context } = await open(hash, { as: cem });
    let isAway = true;
    // The server gets the message, and its answer is lost; later requests do not arrive.
    let sent = 0;
    await context.route("**/api/v1/messages", async (route) => {
      if (!isAway || route.request().method() !== "POST") return route.fallback();
      if (sent++ === 0) await route.fetch();
      return route.abort();
    });
    await messageBox(page).fill("Words in a storm");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await inList(page, "Words in a storm").first().waitFor();
    await waitFor(() => sent > 1, { what: "the request is repeated" });
    isAway = false;
    await page.reload();
    await waitFor(
      async () => !(await page.evaluate<string>("JSON.stringify(localStorage)")).includes("outbox"),
      { what: "the server has answered" },
    );
    await inList(page, "Words in a storm").waitFor();
    const { body } = await gateway.as(cem).get(messagesPath, {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: "channel", operand: room.id }],
      apply_markdown: false,
    });
    const contents = (body["messages"] as Array<{ content: string }>).map(({ content }) => content);
    expect(contents.filter((content) => content === "Words in a storm")).to.have.length(1);
  });

  it("keeps a refused message with the reason until it is discarded", async () => {
    const { db, open, person, org } = scene();
    const dora = await person("Dora");
    const room = await channel(db, org.owner, {
      subscribers: [dora],
      groups: { canSendMessageGroupId: org.groups["role:owners"] },
    });
    const { page } = await open(`#narrow/channel/${room.id}/topic/no`, { as: dora });
    await messageBox(page).fill("May I?");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert").filter({ hasText: "Not sent" });
    await alert.waitFor();
    await page.reload();
    await alert.waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await alert.waitFor({ state: "detached" });
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.to.include("May I?");
  });

  it("opens at the message of an address, loads more at both ends, and keeps its place", async () => {
    const { db, open, person, org } = scene();
    const eva = await person("Eva");
    const room = await channel(db, org.owner, { subscribers: [eva, org.owner] });
    const ids = await pastMessages(db, room, org.owner, { count: 1_000, topic: "long" });
    const hash = `#narrow/channel/${room.id}/topic/long/near/${ids[499]}`;
    const { page } = await open(hash, { as: eva });
    const middle = inList(page, "soup 500");
    await middle.waitFor();
    // A page below is loaded at once; what is loaded above must not move the message.
    const before = await middle.boundingBox();
    const height = await heightOf(page);
    await page.evaluate("document.querySelector('[role=log]').scrollTop = 100");
    await waitFor(async () => (await heightOf(page)) > height + 1_000, {
      what: "older messages are loaded",
    });
    await page.getByRole("button", { name: "Go to the newest message" }).click();
    await inList(page, "soup 1000").waitFor();
    await say(org.owner, room.id, "long", "one more");
    await inList(page, "one more").waitFor();
    await page.goto(page.url().replace(/#.*/, `#narrow/near/${ids[499]}`));
    await middle.waitFor();
    expect((await middle.boundingBox())?.x).to.equal(before?.x);
  });

  it("can be used by keyboard alone", async () => {
    const { db, open, person, org } = scene();
    const fay = await person("Fay");
    const room = await channel(db, org.owner, { name: "keys", subscribers: [fay, org.owner] });
    await say(org.owner, room.id, "one", "first note", "second note");
    const { page } = await open("#feed", { as: fay });
    await inList(page, "second note").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Reply to the selected message").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("End");
    await page.keyboard.press("k");
    await page.keyboard.press("*");
    await messageList(page).getByRole("img", { name: "Starred" }).waitFor();
    await page.keyboard.press("r");
    await page.locator("textarea:focus").waitFor();
    expect(await page.getByRole("textbox", { name: "Topic", exact: true }).inputValue()).to.equal(
      "one",
    );
    await page.keyboard.type("by hand");
    await page.keyboard.press("Enter");
    await inList(page, "by hand").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("note");
    await page.keyboard.press("Enter");
    await messageList(page).locator(".highlight", { hasText: "note" }).first().waitFor();
    expect(page.url()).to.match(/#narrow\/search\/note$/);
  });

  it("fits on a phone in dark colours, with the ways to other pages in a drawer", async () => {
    const { db, open, person, org } = scene();
    const gil = await person("Gil");
    const room = await channel(db, org.owner, { name: "pocket", subscribers: [gil, org.owner] });
    await say(org.owner, room.id, "small", "Hello", "wide".repeat(100));
    const { page } = await open("#feed", {
      as: gil,
      viewport: { width: 390, height: 780 },
      colorScheme: "dark",
      hasTouch: true,
    });
    await inList(page, "Hello").waitFor();
    expect(await seriousFaults(page)).to.deep.equal([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(390);
    const link = page.getByRole("navigation").getByRole("link", { name: /pocket/ });
    expect(await link.count()).to.equal(0);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "My schedule" }).click();
    await page.getByRole("heading", { name: "My schedule" }).waitFor();
    await link.waitFor({ state: "hidden" });
  });

  /** The height of the loaded messages in pixels. */
  function heightOf(page: Page): Promise<number> {
    return page.evaluate<number>("document.querySelector('[role=log]').scrollHeight");
  }
});
