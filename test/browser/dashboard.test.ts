import { writeFile } from "node:fs/promises";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { useBrowser } from "./support/browser.ts";
import { busyHour, type BusyHour } from "./support/busy-hour.ts";
import { login } from "./support/open-dashboard.ts";

const paths = [
  "/",
  "/failed",
  "/history",
  "/look-up",
  "/look-up?id=1",
  "/series",
  "/deletions",
  "/webhooks",
  "/dead-letters",
  "/audit",
];

/** Advances the clock by refresh intervals until the page is as expected. */
function refreshed(page: Page, what: string, wanted: () => Promise<boolean>): Promise<unknown> {
  return waitFor(
    async () => {
      await page.clock.fastForward(15_000);
      return (await wanted()) || undefined;
    },
    { what, everyMs: 200 },
  );
}

describe("the dashboard in a browser", () => {
  const browsing = useBrowser();
  let hour: BusyHour;
  before(async () => {
    hour = await busyHour(browsing().dashboard.db);
  });

  const asOf = (page: Page) => page.locator("#refreshed").textContent();
  const spoken = (page: Page) => page.locator("#spoken").textContent();

  it("refreshes in place: focus, scroll, input, ticks and open details stay", async () => {
    const { page, complaints } = await browsing().open({ path: "/dead-letters" });
    const boxes = page.locator("tbody input[type=checkbox]");
    const ticked = await boxes.nth(7).getAttribute("value");
    await boxes.nth(7).check();
    await page.locator("details").nth(7).locator("summary").click();
    await page.locator("input[name=error]").fill("typed and not sent");
    await boxes.nth(7).focus();
    await page.evaluate(() => window.scrollTo(0, 250));
    const scroll = await page.evaluate(() => window.scrollY);
    expect(scroll).to.be.greaterThan(0);

    const id = await hour.giveUp();
    await refreshed(page, "the new dead letter is there", async () =>
      page.locator(`tr[data-key="work-${id}"]`).isVisible(),
    );
    expect(
      await page
        .locator("input:checked")
        .evaluateAll((all) => all.map((box) => box.getAttribute("value"))),
    ).to.deep.equal([ticked]);
    expect(await page.evaluate(() => document.activeElement?.getAttribute("value"))).to.equal(
      ticked,
    );
    expect(await page.locator("input[name=error]").inputValue()).to.equal("typed and not sent");
    expect(await page.locator("details[open]").count()).to.equal(1);
    expect(await page.locator(`tr:has(input[value="${ticked}"]) details[open]`).count()).to.equal(
      1,
    );
    // The browser keeps the visible rows in place although a row was added above them.
    expect(await page.evaluate(() => window.scrollY)).to.be.within(scroll, scroll + 120);
    expect(complaints).to.deep.equal([]);
  });

  it("announces changes to a screen reader, and nothing without a change", async () => {
    const { page } = await browsing().open();
    const { db } = browsing().dashboard;
    expect(await spoken(page)).to.equal("");
    const before = await asOf(page);
    await refreshed(page, "the page is refreshed", async () => (await asOf(page)) !== before);
    expect(await spoken(page)).to.equal("");
    await db.rows(
      `INSERT INTO bouncer_circuit (id, no_calls_until) VALUES (1, now() + interval '1 hour')
       ON CONFLICT (id) DO UPDATE SET no_calls_until = excluded.no_calls_until`,
    );
    await refreshed(page, "the new trouble is spoken", async () =>
      ((await spoken(page)) ?? "").includes("the push bouncer does not answer"),
    );
    // A heartbeat may become old meanwhile, which is a change: what is written must differ from what was there.
    const repeated = await page.evaluateHandle(() => {
      const element = document.getElementById("spoken");
      const seen = { text: element?.textContent, count: 0 };
      if (element)
        new MutationObserver(() => {
          if (element.textContent === seen.text) seen.count++;
          seen.text = element.textContent;
        }).observe(element, { childList: true, characterData: true, subtree: true });
      return seen;
    });
    const then = await asOf(page);
    await refreshed(page, "the page is refreshed again", async () => (await asOf(page)) !== then);
    expect(await repeated.evaluate(({ count }) => count)).to.equal(0);
  });

  it("pauses and resumes refreshing, on other pages too", async () => {
    const { page } = await browsing().open({ path: "/failed" });
    const button = page.locator("#pause");
    await button.click();
    expect(await button.getAttribute("aria-pressed")).to.equal("true");
    let asked = 0;
    page.on("request", () => asked++);
    await hour.fail();
    await page.clock.fastForward(120_000);
    expect(asked).to.equal(0);
    await page.locator("nav a", { hasText: "Overview" }).click();
    expect(await button.getAttribute("aria-pressed")).to.equal("true");
    await page.goBack();
    await button.click();
    await refreshed(page, "the new failure is there", () =>
      page.getByText("A new failure.").first().isVisible(),
    );
  });

  it("reports a dashboard that does not answer, and recovers", async () => {
    const { page, context } = await browsing().open();
    await context.setOffline(true);
    await refreshed(
      page,
      "it says so",
      async () => (await asOf(page))?.includes("does not answer") ?? false,
    );
    expect(await spoken(page)).to.equal("The dashboard does not answer.");
    await context.setOffline(false);
    await refreshed(
      page,
      "it goes on",
      async () => !(await asOf(page))?.includes("does not answer"),
    );
    expect(await spoken(page)).to.match(/^Problems: /);
  });

  it("fits a phone of 390 px, and loads nothing that its policy refuses", async () => {
    for (const path of paths) {
      const { page, complaints } = await browsing().open({ path, width: 390 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).to.be.at.most(
        390,
      );
      expect(
        complaints.filter((text) => !text.includes("404")),
        path,
      ).to.deep.equal([]);
    }
  });

  it("shows failed messages in rows of two lines, however long their texts", async () => {
    const { page } = await browsing().open({ path: "/failed" });
    const rows = page.locator("tr[data-key^=failure-]");
    const heights = await rows.evaluateAll((all) => all.map((row) => row.clientHeight));
    expect(heights).to.have.length(50);
    expect(Math.max(...heights)).to.be.at.most(60);
    const region = page.locator(".wide", { has: rows.first() });
    const [needed, given] = await region.evaluate((it) => [it.scrollWidth, it.clientWidth]);
    expect(needed).to.be.at.most(given ?? 0);
    const cut = page.getByRole("link", { name: /more than 15 of them/ }).last();
    await cut.focus();
    const whole = await cut.evaluate((it) => {
      const { bottom } = it.getBoundingClientRect();
      return bottom <= (it.parentElement?.getBoundingClientRect().bottom ?? 0) + 1;
    });
    expect(whole, "the text in focus is whole").to.equal(true);
  });

  it("works with a keyboard alone, from the list of dead letters to the confirmed replay", async () => {
    const { page } = await browsing().open({ path: "/dead-letters" });
    const focused = () =>
      page.evaluate(() => {
        const { activeElement: at } = document;
        return `${at?.tagName ?? ""} ${at?.getAttribute("name") ?? ""} ${at?.textContent?.trim() ?? ""}`;
      });
    const tabTo = async (wanted: RegExp) => {
      for (let steps = 0; steps < 200; steps++) {
        await page.keyboard.press("Tab");
        if (wanted.test(await focused())) return;
      }
      throw new Error(`no Tab leads to ${String(wanted)}`);
    };
    await page.keyboard.press("Tab");
    expect(await focused()).to.match(/Skip to the content/);
    await page.keyboard.press("Enter");
    await tabTo(/^INPUT chosen/);
    const outline = await page.evaluate(() => {
      const at = document.activeElement;
      return at ? getComputedStyle(at).outlineStyle : "";
    });
    expect(outline).to.equal("solid");
    await page.keyboard.press("Space");
    await tabTo(/^BUTTON what Replay …/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Replay 1?" }).waitFor();
    await tabTo(/^BUTTON {2}Replay 1/);
    await page.keyboard.press("Enter");
    await page.getByText("1 dead letter replayed: it runs within seconds.").waitFor();
  });

  it("repeats and discards calls of webhooks that were given up", async () => {
    const { page, complaints } = await browsing().open({ path: "/webhooks" });
    const { db } = browsing().dashboard;
    const calls = page.locator("tr[data-key^=call-]");
    await page.getByText("does not answer: left alone for").waitFor();
    expect(await calls.count()).to.equal(3);
    for (const [name, said, state] of [
      ["Repeat", "1 call made again within seconds.", { state: "waiting", version: 2 }],
      ["Discard", "1 call discarded.", { state: "ended", version: 1 }],
    ] as const) {
      const left = await calls.count();
      const row = calls.first();
      const id = Number((await row.getAttribute("data-key"))?.replace("call-", ""));
      await row.getByRole("button", { name: `${name} call ${id}` }).click();
      await page.getByText(said).waitFor();
      expect(await calls.count()).to.equal(left - 1);
      const rows = await db.rows("SELECT state, version FROM outgoing_call WHERE id = $1", [id]);
      expect(rows).to.deep.equal([state]);
    }
    expect(complaints).to.deep.equal([]);
  });

  it("adds the dashboard's navigation to the board, first in the tab order", async () => {
    for (const width of [1_100, 390]) {
      const { page, complaints } = await browsing().open({ path: "/queues", width });
      await page.clock.fastForward(3_000);
      await page.getByText("Delivery", { exact: true }).first().waitFor();
      expect(await page.locator("body").innerText()).not.to.match(/redis|no workers/i);
      expect(complaints).to.deep.equal([]);
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.getAttribute("href"))).to.equal("/");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Overview" }).waitFor();
    }
  });

  it("shows the board's times in UTC and 24 hours, and wraps its tabs on a phone", async () => {
    const [delivery] = browsing().dashboard.queues.bullQueues();
    await delivery?.add(
      "deliver-due",
      { realmId: 7, second: 4e9 },
      { jobId: "deliver-due-7-4", timestamp: Date.UTC(2026, 10, 22, 14, 0, 5), delay: 4e9 },
    );
    const path = "/queues/queue/delivery?status=delayed";
    const { page } = await browsing().open({ path, zone: "America/New_York" });
    await page.getByText("22 Nov 2026, 14:00:05 UTC").first().waitFor();
    const written = await page.evaluate(() => {
      const at = new Date(Date.UTC(2026, 10, 22, 14, 0, 5));
      // As the charts do.
      return [
        at.toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" }),
        at.toLocaleString(),
      ];
    });
    expect(written).to.deep.equal(["14:00", "22/11/2026, 14:00:05"]);
    await page.setViewportSize({ width: 390, height: 800 });
    for (const tab of [page.getByText("FAILED", { exact: true }), page.getByRole("tab").last()]) {
      const box = await tab.first().boundingBox();
      expect(box?.x).to.be.at.least(0);
      expect((box?.x ?? 0) + (box?.width ?? 390)).to.be.at.most(390);
    }
  });

  it("works without scripts", async () => {
    const { page, context } = await browsing().open();
    const browser = context.browser();
    const plain = await browser!.newContext({
      javaScriptEnabled: false,
      httpCredentials: { username: login.user, password: login.password },
    });
    const other = await plain.newPage();
    await other.goto(browsing().dashboard.origin);
    expect(await other.locator("meta[http-equiv=refresh]").count()).to.equal(1);
    expect(await other.locator("#refreshing").isVisible()).to.equal(false);
    expect(await other.locator(".verdict li").first().textContent()).to.equal(
      await page.locator(".verdict li").first().textContent(),
    );
    await plain.close();
  });

  it("looks as the guide shows it, in pictures that are small", async () => {
    const folder = process.env["CARILLON_SCREENSHOTS"];
    for (const [name, path, width, height] of [
      ["dashboard-overview", "/", 1_000, 620],
      ["dashboard-failed", "/failed", 1_000, 760],
      ["dashboard-history", "/history", 1_000, 700],
      ["dashboard-phone", "/", 390, 700],
    ] as const) {
      const { page } = await browsing().open({ path, width });
      await page.setViewportSize({ width, height });
      const picture = await page.screenshot();
      expect(picture.length, name).to.be.below(100_000);
      if (folder !== undefined) await writeFile(`${folder}/${name}.png`, picture);
    }
  });
});
