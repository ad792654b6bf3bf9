import {
  channel,
  pngPicture,
  runJob,
  send,
  sequence,
  type TestAccount,
  toChannel,
  waitFor,
} from "@carillon/testkit";
import { thumbnail } from "@carillon/jobs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { compose } from "../../packages/markdown/src/test-support/hostile-fragments.ts";
import { accessibilityFaults, seriousFaults } from "./support/axe.ts";
import { useWebClient } from "./support/web-client.ts";
import { messageBox, messageList, sizes } from "./support/web-page.ts";

/** HTML that our renderer never makes, each with a script or a request to another server. */
const attacks: readonly string[] = [
  "<script>globalThis.attacked = 1</script>",
  '<script src="https://evil.example/a.js"></script>',
  '<img src="x" onerror="globalThis.attacked = 1">',
  '<img src="https://evil.example/a.png" srcset="https://evil.example/b.png 2x">',
  '<img class="emoji" src="//evil.example/a.png"><img src="/\\evil.example/a.png">',
  '<p onclick="globalThis.attacked = 1" onfocus="globalThis.attacked = 1" tabindex="0" autofocus>a</p>',
  '<svg onload="globalThis.attacked = 1"><script>globalThis.attacked = 1</script></svg>',
  '<svg><a xlink:href="javascript:globalThis.attacked = 1" href="javascript:globalThis.attacked = 1"><text>a</text></a></svg>',
  '<svg><use href="https://evil.example/a.svg#a"/><image href="https://evil.example/a.png"/></svg>',
  '<svg><style>@import "https://evil.example/a.css";</style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=globalThis.attacked=1>">',
  '<math href="javascript:globalThis.attacked = 1"><mi href="javascript:globalThis.attacked = 1">a</mi></math>',
  '<a href="javascript:globalThis.attacked = 1">a</a><a href=" java\nscript:globalThis.attacked = 1">b</a>',
  '<a href="data:text/html,<script>globalThis.attacked = 1</script>">a</a>',
  '<iframe src="https://evil.example/"></iframe><iframe srcdoc="<script>parent.attacked = 1</script>"></iframe>',
  '<object data="https://evil.example/a"></object><embed src="https://evil.example/a">',
  '<form action="https://evil.example/"><input name="a" autofocus onfocus="globalThis.attacked = 1"><button>a</button></form>',
  '<link rel="stylesheet" href="https://evil.example/a.css"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '<base href="https://evil.example/"><style>body { background: url(https://evil.example/a.png) }</style>',
  '<span style="background: url(https://evil.example/a.png); position: fixed; inset: 0; color: red">a</span>',
  '<video src="https://evil.example/a.mp4" poster="https://evil.example/a.png" autoplay></video><audio src="https://evil.example/a.mp3"></audio>',
  '<template><img src="x" onerror="globalThis.attacked = 1"></template><noscript><p title="</noscript><img src=x onerror=globalThis.attacked=1>">',
  '<div id="app" name="cookie" class="dialog">a</div><details open ontoggle="globalThis.attacked = 1">a</details>',
  '<custom-element is="x" onclick="globalThis.attacked = 1">a</custom-element><marquee onstart="globalThis.attacked = 1">a</marquee>',
];

describe("Texts in the browser client", () => {
  const scene = useWebClient();
  /** A topic of a channel with two people. */
  async function topic(name: string) {
    const { db, org, person, gateway } = scene();
    const [ada, ben] = [await person(`Ada ${name}`), await person(`Ben ${name}`)];
    const room = await channel(db, org.owner, { name, subscribers: [ada, ben] });
    const say = (as: TestAccount, content: string) =>
      send(gateway.as(as), toChannel(room.id, { topic: "talk", content }));
    return { ada, ben, room, say, hash: `#narrow/channel/${room.id}/topic/talk` };
  }
  /** Without pictures that are not there: of another site, which tests do not reach, and of `:zulip:`. */
  const faultsOf = (complaints: readonly string[]) =>
    complaints.filter((one) => !/ERR_|gravatar|status of 404/.test(one));

  /** Expects that no message is wider than the list. */
  async function expectToFit(page: Page): Promise<void> {
    const isWide = await messageList(page).evaluate((log) => log.scrollWidth > log.clientWidth);
    expect(isWide, "the list scrolls sideways").to.equal(false);
  }

  it("show spoilers, times, code, mentions and formulas", async () => {
    const { ada, ben, say, hash } = await topic("formats");
    await say(
      ben,
      [
        "@**Ada formats** and @**Ben formats**, at <time:2024-03-07T15:00:00-08:00> :heart:",
        "```spoiler The end\nThe **butler**\n```",
        "```python\nprint(1)\n```",
        "$$\\frac{x}{2}$$ and |a|",
        "| n | right |\n|---|--:|\n| 1 | 2 |",
        "שלום עולם",
        "[Here](#narrow/is/starred) and https://elsewhere.example/",
      ].join("\n\n"),
    );
    const { page, context, complaints } = await scene().open(hash, { as: ada });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await messageList(page).getByText("Fri, Mar 8, 2024, 12:00 AM GMT+1").waitFor();
    expect(await messageList(page).locator(".own-mention").allTextContents()).to.deep.equal([
      "@Ada formats",
    ]);
    expect(await messageList(page).locator(".emoji").allTextContents()).to.deep.equal(["❤️"]);

    const button = messageList(page).getByRole("button", { name: "Show", exact: true });
    expect(await messageList(page).getByText("butler").isVisible()).to.equal(false);
    await button.press("Enter");
    await messageList(page).getByText("butler").waitFor();
    await messageList(page).getByRole("button", { name: "Hide", exact: true }).press("Space");
    await messageList(page).getByText("butler").waitFor({ state: "hidden" });

    await messageList(page).getByRole("button", { name: "Copy", exact: true }).press("Enter");
    await messageList(page).getByRole("button", { name: "Copied", exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal("print(1)\n");
    await messageList(page).getByText("Python").waitFor();

    // KaTeX's layout is shown once its stylesheet is there, with the styles that the HTML names.
    await messageList(page).locator(".katex-html .frac-line").first().waitFor();
    expect(
      await page.evaluate(
        `document.querySelector(".katex .vlist-t .vlist > span").style.top !== "" &&
         getComputedStyle(document.querySelector(".rendered td:last-child")).textAlign`,
      ),
    ).to.equal("right");
    expect(
      await page.evaluate(
        `[...document.querySelectorAll(".rendered > p")].map((p) => getComputedStyle(p).direction)`,
      ),
    ).to.include("rtl");

    const outside = messageList(page).getByRole("link", { name: "https://elsewhere.example/" });
    expect(await outside.getAttribute("rel")).to.equal("noopener noreferrer");
    expect(await seriousFaults(page)).to.deep.equal([]);
    expect(faultsOf(complaints)).to.deep.equal([]);
    await messageList(page).getByRole("link", { name: "Here", exact: true }).click();
    await page.waitForURL(/#narrow\/is\/starred$/);
  });

  it("have colours for tokens of code, with enough contrast in light and dark", async () => {
    const { ada, ben, say, hash } = await topic("colours");
    const code = '# a\n@b\ndef f(x):\n    return len("s") + 1\n';
    await say(ben, `\`\`\`python\n${code}\`\`\`\n\n\`\`\`diff\n-a\n+b\n@@ -1 +1 @@\n\`\`\``);
    const { page } = await scene().open(hash, { as: ada });
    await messageList(page).locator("pre .gd").waitFor();
    expect(await messageList(page).locator("pre code").first().textContent()).to.equal(code);
    const seen: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const colours = await messageList(page).evaluate((log) =>
        ["code", ".k", ".s2", ".mi", ".c1", ".nf", ".nb", ".gd"].map((token) => {
          const element = log.querySelector(`pre ${token}`);
          return element === null ? "missing" : getComputedStyle(element).color;
        }),
      );
      expect(new Set(colours).size, colours.join()).to.equal(8);
      expect(colours).not.to.include("missing");
      seen.push(...colours);
      const faults = await accessibilityFaults(page);
      expect(faults.filter((fault) => fault.includes("color-contrast"))).to.deep.equal([]);
    }
    expect(new Set(seen).size, seen.join()).to.equal(16);
  });

  for (const { size, title, viewport } of sizes) {
    it(`are polls and to-do lists, which two people change at once, ${title}`, async () => {
      const { ada, ben, say, hash } = await topic(`polls-${size}`);
      await say(ada, "/poll Lunch?\nSoup\nRice");
      await say(ada, "/todo Today\nCook: rice\nEat");
      const { page: hers } = await scene().open(hash, { as: ada, viewport });
      const { page: his } = await scene().open(hash, { as: ben, viewport });
      await his.getByRole("button", { name: "Soup: 0 votes" }).press("Enter");
      await hers.getByRole("button", { name: "Soup: 1 vote" }).press("Enter");
      await his.getByRole("button", { name: "Soup: 2 votes" }).press("Enter");
      await hers.getByRole("button", { name: "Soup: 1 vote", pressed: true }).waitFor();
      await his.getByRole("textbox", { name: "New option" }).fill("Bread");
      await his.getByRole("textbox", { name: "New option" }).press("Enter");
      await hers.getByRole("button", { name: "Bread: 0 votes" }).press("Enter");
      await his.getByRole("button", { name: "Bread: 1 vote", pressed: false }).waitFor();

      await his.getByRole("checkbox", { name: /Eat/ }).press("Space");
      await hers.locator(".todo-done", { hasText: "Eat" }).waitFor();
      await hers.getByRole("textbox", { name: "New task" }).fill("Wash");
      await hers.getByRole("button", { name: "Add task" }).click();
      await his.getByRole("checkbox", { name: "Wash", checked: false }).waitFor();
      await expectToFit(his);
      expect(await seriousFaults(his)).to.deep.equal([]);
    });

    it(`take files that are dropped or pasted, and show pictures by the account's key, ${title}`, async () => {
      const { ada, hash } = await topic(`files-${size}`);
      const { db } = scene();
      const { page, complaints } = await scene().open(hash, { as: ada, viewport });
      const bytes = [...pngPicture(640, 480)];
      // As a browser does: an event with the file.
      const give = (type: "paste" | "drop", name: string) =>
        page.evaluate(`(() => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(${JSON.stringify(bytes)})], ${JSON.stringify(name)}, { type: "image/png" }));
          const init = { bubbles: true, cancelable: true };
          document.querySelector(".compose-message").dispatchEvent(
            ${type === "paste"}
              ? new ClipboardEvent("paste", { ...init, clipboardData: data })
              : new DragEvent("drop", { ...init, dataTransfer: data }));
        })()`);
      await messageBox(page).waitFor();
      const linksTo = async (name: string) =>
        (await messageBox(page).inputValue()).includes(`[${name}](/`);
      await give("paste", "pasted.png");
      await waitFor(() => linksTo("pasted.png"), { what: "the pasted file is linked" });
      await give("drop", "dropped [1].png");
      await waitFor(() => linksTo("dropped  1 .png"), { what: "the dropped file is linked" });
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await messageList(page).locator("img[data-original-content-type]").nth(1).waitFor();
      const jobs = await db.rows<{ intentId: number; version: number }>(
        `SELECT id AS "intentId", version FROM job_intent WHERE job = 'thumbnail' AND state = 'pending'`,
      );
      for (const job of jobs) await runJob(db, thumbnail, job);
      // A page that is opened now has the thumbnails.
      const { page: later, complaints: others } = await scene().open(hash, { as: ada, viewport });
      const shown = `[...document.querySelectorAll(".picture")].filter(
        (one) => one.src.startsWith("blob:") && one.naturalWidth === 640).length`;
      await waitFor(async () => (await later.evaluate(shown)) === 2, { what: "both are shown" });
      await expectToFit(later);
      // The preview opens the file itself, by an address without credentials.
      const [tab] = await Promise.all([
        later.context().waitForEvent("page"),
        later.getByRole("link", { name: "pasted.png" }).first().click(),
      ]);
      await tab.waitForURL(/\/user_uploads\/temporary\/.*pasted\.png$/);
      expect(faultsOf([...complaints, ...others])).to.deep.equal([]);
    });
  }

  it("complete mentions, channels, topics and emoji by the keyboard", async () => {
    const { ada, ben, say, hash } = await topic("completion");
    await say(ben, "first");
    const { page, complaints } = await scene().open(hash, { as: ada });
    const options = page.getByRole("listbox").getByRole("option");
    await messageBox(page).pressSequentially("Hi @ben comp");
    await options.first().waitFor();
    expect(await options.allTextContents()).to.have.length(1);
    await messageBox(page).press("Tab");
    expect(await messageBox(page).inputValue()).to.equal("Hi @**Ben completion** ");
    await messageBox(page).pressSequentially("in #compl");
    await options.filter({ hasText: "#completion" }).waitFor();
    await messageBox(page).press("Enter");
    await messageBox(page).press("Backspace");
    expect(await messageBox(page).inputValue()).to.equal(
      "Hi @**Ben completion** in #**completion**",
    );
    await messageBox(page).fill("");
    await messageBox(page).pressSequentially("#**completion>ta");
    await options.filter({ hasText: "talk" }).waitFor();
    await messageBox(page).press("Enter");
    expect(await messageBox(page).inputValue()).to.equal("#**completion>talk** ");
    await messageBox(page).pressSequentially("@_comp");
    await options.nth(1).waitFor();
    await messageBox(page).press("ArrowDown");
    expect(
      await page.evaluate(
        `document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).textContent`,
      ),
    ).to.include("Ben");
    await messageBox(page).press("Escape");
    await options.first().waitFor({ state: "detached" });
    // Escape has closed the list, not left the box; the next one leaves it.
    expect(await page.evaluate("document.activeElement.tagName")).to.equal("TEXTAREA");
    await messageBox(page).fill("");
    await messageBox(page).pressSequentially(":smil");
    await options.filter({ hasText: ":smile:" }).waitFor();
    await messageBox(page).press("Enter");
    expect(await messageBox(page).inputValue()).to.equal(":smile: ");
    expect(faultsOf(complaints).filter((one) => !/emoji/.test(one))).to.deep.equal([]);
  });

  describe("that are hostile", () => {
    /** Opens a topic in a window that shows all of its messages. */
    async function look(hash: string, as: TestAccount, replaced?: readonly string[]) {
      const opened = await scene().open("", { as, viewport: { width: 1_200, height: 6_000 } });
      const { page, context } = opened;
      const elsewhere: string[] = [];
      page.on("request", (request) => {
        const { origin } = new URL(request.url());
        const isOwn = origin === new URL(page.url()).origin || request.url().startsWith("blob:");
        if (!isOwn && !request.url().includes("gravatar")) elsewhere.push(request.url());
      });
      page.on("dialog", (dialog) => elsewhere.push(`dialog ${dialog.message()}`));
      if (replaced)
        await context.route(/\/api\/v1\/messages\?/, async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { messages: Array<{ content: string }> };
          for (const [at, message] of body.messages.entries())
            message.content = replaced[at] ?? message.content;
          await route.fulfill({ response, json: body });
        });
      await page.goto(page.url().replace(/#.*|$/, hash));
      await page.reload();
      return { ...opened, elsewhere };
    }
    /** Attributes in the messages that could run or load something. */
    const active = `[...document.querySelectorAll(".rendered *")].flatMap((element) =>
      [...element.attributes].filter(({ name, value }) =>
        /^on|^srcset$|^poster$|^xlink|^action$/.test(name) || /^\\s*(javascript|data|vbscript):/i.test(value))
        .map(({ name }) => element.localName + " " + name)
        .concat(/^(script|style|link|meta|base|iframe|object|embed|form|input|template|noscript|use|image|foreignObject)$/.test(element.localName) ? element.localName : []))`;

    it("run nothing and load nothing from elsewhere, as our renderer shows them", async () => {
      const { ada, ben, say, hash } = await topic("hostile");
      const random = sequence(31);
      for (let n = 0; n < 12; n++)
        await say(ben, compose(random, 400).replaceAll("\0", "").slice(0, 5_000));
      const { page, complaints, elsewhere } = await look(hash, ada);
      await messageList(page).locator(".rendered").nth(11).waitFor();
      expect(await page.evaluate(active)).to.deep.equal([]);
      expect(elsewhere).to.deep.equal([]);
      expect(faultsOf(complaints)).to.deep.equal([]);
    });

    it("run nothing and load nothing even if the server's HTML has scripts", async () => {
      const { ada, ben, say, hash } = await topic("attacks");
      for (const [at] of attacks.entries()) await say(ben, `message ${at}`);
      const { page, elsewhere } = await look(hash, ada, attacks);
      await messageList(page)
        .locator(".rendered")
        .nth(attacks.length - 1)
        .waitFor();
      for (const link of await messageList(page).locator(".rendered a[href]").all())
        await link.click();
      expect(await page.evaluate(active)).to.deep.equal([]);
      expect(await page.evaluate("globalThis.attacked")).to.equal(undefined);
      expect(elsewhere).to.deep.equal([]);
    });
  });
});
