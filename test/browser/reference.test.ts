import { writeFile } from "node:fs/promises";
import { allOperations } from "@carillon/contract";
import { useDatabase, useGateway, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { accessibilityFaults } from "./support/axe.ts";
import { useChromium } from "./support/chromium.ts";

describe("the reference in a browser", () => {
  const newPage = useChromium();
  const db = useDatabase();
  const gateway = useGateway(db);

  async function open(width = 1_100) {
    const opened = await newPage({ viewport: { width, height: 800 } });
    const asked: string[] = [];
    opened.page.on("request", (request) => asked.push(request.url()));
    await opened.page.goto(`${gateway.url}/api`);
    await opened.page.locator(".opblock").first().waitFor();
    return { ...opened, asked };
  }

  /** Returns the ids of all rows; the page renders only the visible ones. */
  async function shownIn(page: Page): Promise<readonly string[]> {
    const shown = new Set<string>();
    for (let top = 0; ; top += 500) {
      await page.evaluate((y) => window.scrollTo(0, y), top);
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
      const ids = await page.locator(".opblock").evaluateAll((all) => all.map(({ id }) => id));
      for (const id of ids) shown.add(id);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (top > height) return [...shown];
    }
  }

  it("shows every operation, loads nothing from other hosts, and obeys its content security policy", async () => {
    const { page, complaints, asked } = await open();
    const shown = await shownIn(page);
    const events = shown.filter((id) => id.startsWith("operations-event_types-"));
    expect(shown).to.have.length(allOperations.length + events.length);
    const { body } = await gateway.anonymous.get("/api/v1/openapi.json");
    expect(events).to.have.length(Object.keys(body["x-webhooks"] as object).length);
    expect(complaints).to.deep.equal([]);
    expect(asked.filter((url) => !url.startsWith(`${gateway.url}/`))).to.deep.equal([]);
  });
  it("finds an operation by search words, and shows its parameters, errors and example", async () => {
    const { page, complaints } = await open();
    await page.getByRole("searchbox").fill("create-scheduled");
    const found = page.locator(".opblock");
    await waitFor(async () => (await found.count()) === 1 || undefined, { what: "one is found" });
    await found.locator(".opblock-summary").click();
    expect(complaints).to.deep.equal([]);
    await found.getByText("scheduled_delivery_timestamp").first().waitFor();
    await found.getByText('curl -sS -u "$MEMBER"').first().waitFor();
    await found.getByText("RATE_LIMIT_HIT").first().waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it("has no critical finding of axe, also with an operation open", async () => {
    const { page } = await open();
    const bad = async () =>
      (await accessibilityFaults(page)).filter((fault) => fault.startsWith("critical"));
    expect(await bad()).to.deep.equal([]);
    await page.getByRole("searchbox").fill("create-reminder");
    const found = page.locator(".opblock");
    await waitFor(async () => (await found.count()) === 1 || undefined, { what: "one is found" });
    await found.locator(".opblock-summary").click();
    await found.getByText("RATE_LIMIT_HIT").first().waitFor();
    expect(await bad()).to.deep.equal([]);
    await found.getByRole("button", { name: "Try it out" }).click();
    await found.getByRole("button", { name: "Execute" }).waitFor();
    expect(await bad()).to.deep.equal([]);
  });

  it("finds an event, and shows its payload", async () => {
    const { page, complaints } = await open();
    await page.getByRole("searchbox").fill("event types reaction/add");
    const found = page.locator(".opblock");
    await waitFor(async () => (await found.count()) === 1 || undefined, { what: "one is found" });
    await found.locator(".opblock-summary").click();
    await found.getByText('"emoji_name": "tada"').first().waitFor();
    expect(await found.getByText("Try it out").isVisible()).to.equal(false);
    expect(complaints).to.deep.equal([]);
  });

  it("looks as the guide shows it, in a picture that is small, and fits a phone", async () => {
    const folder = process.env["CARILLON_SCREENSHOTS"];
    const { page } = await open(390);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth),
      "pixels of its width",
    ).to.equal(390);
    await page.setViewportSize({ width: 1_000, height: 700 });
    const picture = await page.screenshot();
    expect(picture.length).to.be.below(100_000);
    if (folder !== undefined) await writeFile(`${folder}/reference.png`, picture);
  });
});
