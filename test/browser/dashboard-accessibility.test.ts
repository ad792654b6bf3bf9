import { expect } from "chai";
import type { Page } from "playwright-core";
import { accessibilityFaults } from "./support/axe.ts";
import { useBrowser } from "./support/browser.ts";
import { busyHour } from "./support/busy-hour.ts";

const paths = [
  "/",
  "/failed",
  "/history",
  "/look-up",
  "/look-up?id=1",
  "/look-up?channel=announcements",
  "/dead-letters",
  "/series",
  "/deletions",
  "/webhooks",
  "/audit",
  "/queues",
  "/queues/queue/delivery?status=delayed",
  "/queues/queue/delivery/deliver-due-7-4",
];

/** On a wide screen in light colours, and on a phone in dark colours. */
const screens = [
  { width: 1_100, colors: "light" },
  { width: 390, colors: "dark" },
] as const;

describe("the accessibility of the dashboard, by axe", () => {
  const browsing = useBrowser();
  before(async () => {
    const { db, queues } = browsing().dashboard;
    await busyHour(db);
    const [delivery] = queues.bullQueues();
    await delivery?.add(
      "deliver-due",
      { realmId: 7, second: 4e9 },
      { jobId: "deliver-due-7-4", delay: 4e9 },
    );
  });

  const grave = async (page: Page) =>
    (await accessibilityFaults(page)).filter((fault) => /^(critical|serious) /.test(fault));

  for (const screen of screens) {
    const { width, colors } = screen;
    describe(`at ${width} px, ${colors}`, () => {
      for (const path of paths)
        it(`has no serious or critical finding on ${path}`, async () => {
          const { page } = await browsing().open({ ...screen, path });
          // On a phone, the pages of one queue show its name only in a closed menu.
          if (path === "/queues")
            await page.getByText("Delivery", { exact: true }).first().waitFor();
          if (path.startsWith("/queues/queue"))
            await page.getByText("deliver-due-7-4").first().waitFor();
          await page
            .locator("main details")
            .evaluateAll((all) => all.forEach((it) => it.setAttribute("open", "")));
          expect(await grave(page)).to.deep.equal([]);
        });

      it("has none on the previews of resending, replaying and discarding", async () => {
        const { page } = await browsing().open({ ...screen, path: "/failed" });
        await page.locator("input[name=all]").check();
        await page.getByRole("button", { name: "Send now …" }).click();
        await page.waitForURL("**/failed/preview");
        expect(await grave(page)).to.deep.equal([]);
        for (const name of ["Replay …", "Discard …"]) {
          await page.goto(`${browsing().dashboard.origin}/dead-letters`);
          await page.locator("input[name=chosen]").first().check();
          await page.getByRole("button", { name }).click();
          await page.waitForURL("**/dead-letters/preview");
          expect(await grave(page)).to.deep.equal([]);
        }
      });
    });
  }
});
