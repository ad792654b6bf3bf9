import { addReaction, deleteMessage, updateMessage } from "@carillon/contract";
import {
  changeChannel,
  pastMessages,
  send,
  type TestAccount,
  toChannel,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Page, Route } from "playwright-core";
import { addedElements, countAddedElements } from "./support/added-elements.ts";
import { useWebClientProcess } from "./support/web-client-process.ts";
import { inList, messageBox, messageList, sendButton } from "./support/web-page.ts";
import { createTopic } from "./support/web-topic.ts";

describe("The browser client with faults of the server and the network", () => {
  const scene = useWebClientProcess();

  const shown = (page: Page) =>
    page
      .locator("[role=log] .rendered")
      .allTextContents()
      .then((all) => all.map((one) => one.trim()));

  const topic = (name: string, ...people: readonly TestAccount[]) =>
    createTopic(scene(), name, people);

  it("reloads the page if the account has a new id, because the organization has moved to another installation", async () => {
    const { open, person } = scene();
    const ada = await person("Ada");
    const { hash, say } = await topic("renumbered", ada);
    const { page } = await open("", { as: { ...ada, id: ada.id + 1_000_000 } });
    const stored = () =>
      page.evaluate(() => {
        const { localStorage } = globalThis as unknown as {
          localStorage: { getItem(key: string): string | null };
        };
        return localStorage.getItem("carillon:accounts");
      });
    await waitFor(async () => (await stored().catch(() => ""))?.includes(`"userId":${ada.id}}`), {
      what: "the new id is kept",
    });
    await page.goto(`${scene().url}/${hash}`);
    await say("to the new id");
    await inList(page, "to the new id").waitFor();
    await messageBox(page).fill("from the new id");
    await sendButton(page).click();
    await inList(page, "from the new id").waitFor();
  });

  it("keeps unsent texts, and offers to send messages again, after the organization has moved to another installation", async () => {
    const { open, person } = scene();
    const ada = await person("Ada Moves");
    const { hash, room, say, stored } = await topic("carried", ada);
    await say("before");
    const { page } = await open(hash, { as: ada });
    await inList(page, "before").waitFor();
    await page.route("**/api/v1/messages", (route) =>
      route.request().method() === "POST" ? route.abort() : route.fallback(),
    );
    await messageBox(page).fill("not sent");
    await sendButton(page).click();
    await messageList(page).getByText("Waiting for the connection").waitFor();
    await messageBox(page).fill("half a sent");
    await page.goto(`${scene().url}/#narrow/channel/${room.id}`);
    await messageBox(page).fill("without a topic");
    await page.goto(`${scene().url}/#feed`);
    await messageBox(page).fill("without a place");
    await page.evaluate(copyTextToOtherView, ["half a sent", "other half"]);
    // As if the ids of the account and of the channel were those of another installation.
    await page.evaluate(renumber, [
      [`"userId":${ada.id}}`, `"userId":${ada.id + 1_000_000}}`],
      [`:${ada.id}:`, `:${ada.id + 1_000_000}:`],
      [`channel/${room.id}`, `channel/${room.id + 1_000_000}`],
      [`"channelId":${room.id}`, `"channelId":${room.id + 1_000_000}`],
    ]);
    await page.unroute("**/api/v1/messages");
    await page.reload();
    const failed = messageList(page).getByRole("article").filter({ hasText: "not sent" });
    await failed.getByText("has moved to another server").waitFor();
    const inFeed = (await messageBox(page).inputValue()).split("\n\n");
    expect(inFeed).to.include.members(["without a place", "without a topic"]);
    expect(await stored(), "it may have been sent before").to.deep.equal(["before"]);
    await failed.getByRole("button", { name: "Send again" }).click();
    await waitFor(async () => (await stored()).includes("not sent"), { what: "it is sent" });
    await page.goto(`${scene().url}/${hash}`);
    await inList(page, "not sent").waitFor();
    const halves = ["half a sent", "other half"];
    const inTopic = await messageBox(page).inputValue();
    expect(inTopic).to.be.oneOf(halves);
    expect(inFeed)
      .to.have.lengthOf(3)
      .and.include(halves.find((half) => half !== inTopic));
  });

  it("sends a message once and shows all others if the gateway is killed meanwhile", async () => {
    const { open, person, gateway, restart } = scene();
    const ada = await person("Ada");
    const { hash, say, stored } = await topic("killed", ada);
    await say("before");
    const { page } = await open(hash, { as: ada });
    await inList(page, "before").waitFor();
    // The server stores the message and dies before it answers.
    await page.route("**/api/v1/messages", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      await route.fetch();
      await gateway.kill();
      await page.unroute("**/api/v1/messages");
      await route.abort();
    });
    await messageBox(page).fill("in the fall");
    await sendButton(page).click();
    await page.getByRole("alert").filter({ hasText: "No connection" }).waitFor();
    await messageBox(page).fill("while it is away");
    await sendButton(page).click();
    await restart();
    await say("after");
    await waitFor(async () => (await shown(page)).length === 4, {
      what: "four messages are shown",
    });
    await page.getByRole("alert").waitFor({ state: "detached" });
    // The list shows messages before the server has them.
    await waitFor(async () => (await stored()).length === 4, { what: "four messages are stored" });
    expect(await shown(page)).to.deep.equal([
      "before",
      "in the fall",
      ...(await stored()).slice(2),
    ]);
    expect((await stored()).toSorted()).to.deep.equal([
      "after",
      "before",
      "in the fall",
      "while it is away",
    ]);
    expect(await page.locator(".unsent").count()).to.equal(0);
  });

  it("says that the server does not answer while the gateway is frozen, and sends once", async () => {
    const { open, person, gateway } = scene();
    const ben = await person("Ben");
    const { hash, say, stored } = await topic("frozen", ben);
    await say("before");
    const { page } = await open(hash, { as: ben });
    await inList(page, "before").waitFor();
    gateway.signal("SIGSTOP");
    try {
      await messageBox(page).fill("into the ice");
      await sendButton(page).click();
      await page.getByRole("alert").filter({ hasText: "does not answer" }).waitFor();
      await messageList(page).getByText("Waiting for the server").waitFor();
    } finally {
      gateway.signal("SIGCONT");
    }
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.locator(".unsent").waitFor({ state: "detached" });
    await say("after");
    await inList(page, "after").waitFor();
    expect(await shown(page)).to.deep.equal(["before", "into the ice", "after"]);
    expect(await stored()).to.deep.equal(["before", "into the ice", "after"]);
  });

  it("sends a message again after a 401, if the API key still works", async () => {
    const { open, person } = scene();
    const lea = await person("Lea");
    const { hash, say, stored } = await topic("unconfirmed", lea);
    await say("before");
    const { page } = await open(hash, { as: lea });
    await inList(page, "before").waitFor();
    let refusals = 0;
    await page.route("**/api/v1/messages", (route) => {
      if (route.request().method() !== "POST" || refusals++ > 0) return route.fallback();
      const json = { result: "error", code: "UNAUTHORIZED", msg: "Invalid API key" };
      return route.fulfill({ status: 401, json });
    });
    await messageBox(page).fill("not lost");
    await sendButton(page).click();
    await page.locator(".unsent").waitFor();
    await waitFor(
      async () => {
        // Skips a wait of ten seconds.
        await page.evaluate("dispatchEvent(new Event('online'))");
        return (await stored()).length === 2;
      },
      { what: "the message is stored" },
    );
    await page.locator(".unsent").waitFor({ state: "detached" });
    expect(await stored()).to.deep.equal(["before", "not lost"]);
  });

  it("resumes its events after a proxy has answered polls with a page of its own", async () => {
    const { open, person } = scene();
    const max = await person("Max");
    const { hash, say } = await topic("intercepted", max);
    await say("before");
    const { page } = await open(hash, { as: max });
    await inList(page, "before").waitFor();
    // A proxy answers polls with a page of its own until the message is there.
    let isAway = true;
    await page.route("**/api/v1/events?*", (route) =>
      isAway ? route.fulfill({ status: 404, body: "<h1>Not here</h1>" }) : route.fallback(),
    );
    await say("wakes the poll");
    await page.getByRole("alert").filter({ hasText: "No connection" }).waitFor();
    await say("meanwhile");
    isAway = false;
    await waitFor(
      async () => {
        await page.evaluate("dispatchEvent(new Event('online'))");
        return (await shown(page)).length === 3;
      },
      { what: "all messages are shown" },
    );
    expect(await shown(page)).to.deep.equal(["before", "wakes the poll", "meanwhile"]);
  });

  it("says that the key is revoked, and has the unsent words after the next sign-in", async () => {
    const { open, person, as } = scene();
    const password = "four quiet herons drink";
    const cem = await person("Cem", password);
    const { hash, say, stored } = await topic("revoked", cem);
    await say("before");
    const { page } = await open(hash, { as: cem });
    await inList(page, "before").waitFor();
    await messageBox(page).fill("not finished");
    const { status } = await as(cem).post("/api/v1/users/me/api_key/regenerate");
    expect(status).to.equal(200);
    // Without a request of the person the page learns it from its event queue.
    await page.getByRole("alert").filter({ hasText: "no longer accepts" }).waitFor();
    await page.getByRole("textbox", { name: "E-mail address" }).fill(cem.deliveryEmail);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await inList(page, "before").waitFor();
    expect(await messageBox(page).inputValue()).to.equal("not finished");
    await sendButton(page).click();
    await inList(page, "not finished").waitFor();
    await page.locator(".unsent").waitFor({ state: "detached" });
    expect(await stored()).to.deep.equal(["before", "not finished"]);
  });

  it("comes back without a gap to a queue with 2,000 messages after an hour without network", async () => {
    const { open, person, as, org } = scene();
    const dora = await person("Dora");
    const { hash, say, stored } = await topic("offline", dora);
    const { room: other } = await topic("elsewhere", dora);
    await say("before");
    const { page, context } = await open(hash, { as: dora });
    await inList(page, "before").waitFor();
    await context.setOffline(true);
    await messageBox(page).fill("from the tunnel");
    await sendButton(page).click();
    await page.getByRole("alert").filter({ hasText: "No connection" }).waitFor();
    for (let sent = 0; sent < 2_000; sent += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          send(as(org.owner), toChannel(other.id, { topic: "many", content: `soup ${sent + n}` })),
        ),
      );
    await say("meanwhile");
    await page.evaluate(countAddedElements);
    await context.setOffline(false);
    await page.getByRole("link", { name: "elsewhere 2000 unread" }).waitFor();
    await waitFor(async () => (await shown(page)).length === 3, {
      what: "three messages are shown",
    });
    expect(await shown(page)).to.deep.equal(await stored());
    expect(await addedElements(page, "coming back")).to.be.below(1_000);
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  it("shows messages as they are after changes that arrive together with them", async () => {
    const { open, person, as, org } = scene();
    const finn = await person("Finn");
    const { hash, say, room } = await topic("changed", finn);
    await say("before");
    const { page, context } = await open(hash, { as: finn });
    await inList(page, "before").waitFor();
    await context.setOffline(true);
    const owner = as(org.owner);
    const pathOf = (message_id: number) => ({ path: { message_id } });
    await owner.succeed(deleteMessage, pathOf(await say("deleted")));
    const edited = pathOf(await say("with a mistake"));
    await owner.succeed(updateMessage, { ...edited, params: { content: "corrected" } });
    const moved = pathOf(await say("moved away"));
    await owner.succeed(updateMessage, { ...moved, params: { topic: "elsewhere" } });
    const reacted = pathOf(await say("liked"));
    await owner.succeed(addReaction, { ...reacted, params: { emoji_name: "tada" } });
    await context.setOffline(false);
    await inList(page, "liked").waitFor();
    await page.getByRole("button", { name: /^tada 1/ }).waitFor();
    expect(await shown(page)).to.deep.equal(["before", "corrected", "liked"]);
    await send(owner, toChannel(room.id, { topic: "talk", content: "after" }));
    await inList(page, "after").waitFor();
    expect(await shown(page)).to.deep.equal(["before", "corrected", "liked", "after"]);
  });

  it("registers again without a gap if its queue has expired, with 5,000 messages meanwhile", async () => {
    const { open, person, db, org } = scene();
    const eva = await person("Eva");
    const { hash, say, room } = await topic("expired", eva);
    const { room: other } = await topic("beside", eva);
    await say("before");
    const { page, context } = await open(hash, { as: eva });
    await inList(page, "before").waitFor();
    await context.setOffline(true);
    await db.rows("DELETE FROM event_queue WHERE user_id = $1", [eva.id]);
    await pastMessages(db, room, org.owner, { count: 5_000, topic: "talk" });
    await pastMessages(db, other, org.owner, { count: 300 });
    await context.setOffline(false);
    await page.getByRole("link", { name: "beside 300 unread" }).waitFor();
    await inList(page, "soup 5000").waitFor();
    // Scrolls up to the beginning, and collects what is shown on the way.
    const seen = await page.evaluate<string[]>(`(async () => {
      const log = document.querySelector("[role=log]");
      const seen = new Set();
      const ends = performance.now() + 40_000;
      while (!seen.has("before") && performance.now() < ends) {
        for (const one of log.querySelectorAll(".rendered")) seen.add(one.textContent.trim());
        log.scrollTop -= log.clientHeight;
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }
      return [...seen];
    })()`);
    expect(seen).to.have.length(5_001);
    await say("after");
    await page.getByRole("link", { name: "beside 300 unread" }).waitFor();
  });

  it("shows a message that arrives while the list is loaded", async () => {
    const { open, person } = scene();
    const fay = await person("Fay");
    const { hash, say } = await topic("loading", fay);
    await say("before");
    let release: (() => void) | undefined;
    const { page } = await open(hash, {
      as: fay,
      prepare: ({ context }) =>
        context.route(/\/api\/v1\/messages\?/, async (route) => {
          const response = await route.fetch();
          await new Promise<void>((resolve) => (release = resolve));
          await route.fulfill({ response });
        }),
    });
    await waitFor(() => release !== undefined, { what: "the answer is held back" });
    await page.getByRole("link", { name: "loading 1 unread" }).waitFor();
    await say("between");
    await page.getByRole("link", { name: "loading 2 unread" }).waitFor();
    release?.();
    await inList(page, "between").waitFor();
    expect(await shown(page)).to.deep.equal(["before", "between"]);
  });

  it("leaves a draft alone that another device has changed", async () => {
    const { open, person, db, as } = scene();
    const nia = await person("Nia");
    const { hash, stored, room } = await topic("devices", nia);
    const drafts = () =>
      db.rows<{ id: number; content: string }>(
        "SELECT id, content FROM drafts WHERE user_id = $1 ORDER BY id",
        [nia.id],
      );
    const contents = async () => (await drafts()).map(({ content }) => content).join();
    const { page } = await open(hash, { as: nia });
    await messageBox(page).fill("from here");
    await waitFor(async () => (await contents()) === "from here", { what: "it is stored" });
    const [draft] = await drafts();
    await as(nia).patch(`/api/v1/drafts/${draft?.id}`, {
      draft: { type: "stream", to: [room.id], topic: "talk", content: "from the phone" },
    });
    await page.evaluate("location.hash = '#drafts'");
    await page.getByText("from the phone").waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await messageBox(page).pressSequentially(", finished");
    await waitFor(async () => (await contents()) === "from the phone,from here, finished", {
      what: "there are two drafts",
    });
    await sendButton(page).click();
    await waitFor(async () => (await contents()) === "from the phone", {
      what: "the draft of this device is deleted",
    });
    await waitFor(async () => (await stored()).length > 0, { what: "the message is stored" });
    expect(await stored()).to.deep.equal(["from here, finished"]);
  });

  describe("in two tabs", () => {
    it("sends an unsent message once, and clears a refused one in both", async () => {
      const { open, person, db, org } = scene();
      const gil = await person("Gil");
      const { hash, stored, room } = await topic("tabs", gil);
      const { page, context } = await open(hash, { as: gil });
      await messageBox(page).waitFor();
      // The server stores the message, and no tab gets an answer.
      let isAway = true;
      await context.route("**/api/v1/messages", async (route) => {
        if (!isAway || route.request().method() !== "POST") return route.fallback();
        await route.fetch();
        return route.abort();
      });
      await messageBox(page).fill("out of two tabs");
      await sendButton(page).click();
      await page.locator(".unsent").waitFor();
      const second = await context.newPage();
      await second.goto(page.url());
      await second.locator(".unsent").waitFor();
      isAway = false;
      for (const one of [page, second]) {
        await one.locator(".unsent").waitFor({ state: "detached" });
        await inList(one, "out of two tabs").waitFor();
      }
      expect(await stored()).to.deep.equal(["out of two tabs"]);

      await changeChannel(db, room, { canSendMessageGroupId: org.groups["role:owners"] });
      await messageBox(page).fill("refused at first");
      await sendButton(page).click();
      await page.getByRole("button", { name: "Send again" }).waitFor();
      await second.reload();
      await second.getByRole("button", { name: "Send again" }).waitFor();
      await changeChannel(db, room, { canSendMessageGroupId: org.groups["role:everyone"] });
      await page.getByRole("button", { name: "Send again" }).click();
      await second.getByRole("button", { name: "Send again" }).waitFor({ state: "detached" });
      await inList(second, "refused at first").waitFor();
      expect(await stored()).to.deep.equal(["out of two tabs", "refused at first"]);
    });

    it("has one draft, and loses no words of either tab", async () => {
      const { open, person, db } = scene();
      const hal = await person("Hal");
      const { hash, stored } = await topic("drafts", hal);
      const drafts = async () =>
        (
          await db.rows<{ content: string }>("SELECT content FROM drafts WHERE user_id = $1", [
            hal.id,
          ])
        ).map(({ content }) => content);
      const { page, context } = await open(hash, { as: hal });
      const second = await context.newPage();
      await second.goto(page.url());
      await messageBox(second).waitFor();
      await messageBox(page).fill("one");
      await waitFor(async () => (await drafts()).join() === "one", { what: "it is stored" });
      await waitFor(async () => (await messageBox(second).inputValue()) === "one", {
        what: "the other tab shows it",
      });
      await messageBox(second).pressSequentially(" two");
      await waitFor(async () => (await drafts()).join() === "one two", {
        what: "the change is stored in the same draft",
      });
      expect(await messageBox(page).inputValue()).to.equal("one two");
      await sendButton(page).click();
      await waitFor(async () => (await messageBox(second).inputValue()) === "", {
        what: "the other tab is empty, too",
      });
      await waitFor(async () => (await drafts()).length === 0, { what: "the draft is deleted" });
      await waitFor(async () => (await stored()).length > 0, { what: "the message is stored" });
      expect(await stored()).to.deep.equal(["one two"]);
    });

    it("sends in one tab what was being sent in another when that was closed", async () => {
      const { open, person } = scene();
      const ian = await person("Ian");
      const { hash, stored } = await topic("closed", ian);
      const { page, context } = await open(hash, { as: ian });
      await messageBox(page).waitFor();
      // The server stores the first, and the tab is closed before the answer.
      let sent = 0;
      const lose = async (route: Route) => {
        if (route.request().method() !== "POST") return route.fallback();
        if (sent++ === 0) await route.fetch();
        return route.abort();
      };
      await context.route("**/api/v1/messages", lose);
      for (const words of ["first", "second"]) {
        await messageBox(page).fill(words);
        await sendButton(page).click();
      }
      await waitFor(() => sent > 1, { what: "a request is repeated" });
      await page.close();
      expect(await stored()).to.deep.equal(["first"]);
      await context.unroute("**/api/v1/messages", lose);
      const again = await context.newPage();
      await again.goto(`${scene().url}/${hash}`);
      // The message is shown twice for a moment, because its event arrives before the answer to the request.
      await inList(again, "second").first().waitFor();
      await again.locator(".unsent").first().waitFor({ state: "detached" });
      expect(await shown(again)).to.deep.equal(["first", "second"]);
      expect(await stored()).to.deep.equal(["first", "second"]);
    });
  });
});

/** Runs in the page: stores a text as if it had been written in another view, for the same conversation as an existing text. */
function copyTextToOtherView([existing = "", text = ""]: readonly string[]): void {
  const { localStorage } = globalThis as unknown as { localStorage: Record<string, string> };
  for (const [key, value] of Object.entries(localStorage))
    if (value.includes(existing)) localStorage[`${key}-other`] = value.replace(existing, text);
}

/** Runs in the page: replaces texts in the keys and values of its storage. */
function renumber(changes: readonly (readonly string[])[]): void {
  const { localStorage } = globalThis as unknown as {
    localStorage: Record<string, string> & {
      getItem(key: string): string | null;
      setItem(key: string, value: string): void;
      removeItem(key: string): void;
    };
  };
  for (const key of Object.keys(localStorage)) {
    let [name, value] = [key, localStorage.getItem(key) ?? ""];
    for (const [from = "", to = ""] of changes) {
      name = name.replaceAll(from, to);
      value = value.replaceAll(from, to);
    }
    localStorage.removeItem(key);
    localStorage.setItem(name, value);
  }
}
