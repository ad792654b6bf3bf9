import { existsSync } from "node:fs";
import { basename } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { login, openDashboard, type OpenDashboard } from "./open-dashboard.ts";

/** Where Debian's package and others put it. */
const executables = [
  process.env["CARILLON_TEST_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** A dashboard, and pages of a browser that is logged in there. */
export interface Browsing {
  readonly dashboard: OpenDashboard;
  /** A page of a fresh context, its clock still: `page.clock` moves it. What it complains of is in `complaints`. */
  open(options?: { readonly width?: number; readonly path?: string }): Promise<OpenPage>;
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts and what the console calls errors, such as what the policy of the page refuses. */
  readonly complaints: readonly string[];
}

/** For the tests of the enclosing `describe`, which are skipped where no Chromium is installed. */
export function useBrowser(): () => Browsing {
  let dashboard: OpenDashboard | undefined;
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  before("start Chromium", async function () {
    const executablePath = executables.find((path) => path !== undefined && existsSync(path));
    if (executablePath === undefined) this.skip();
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    console.log(`        with ${basename(executablePath)}`);
    browser = await chromium.launch({ executablePath, args });
    dashboard = await openDashboard();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  after(async () => {
    await browser?.close();
    await dashboard?.close();
  });

  return () => {
    if (!browser || !dashboard) throw new Error("the browser runs only during the tests");
    const [started, { origin }] = [browser, dashboard];
    return {
      dashboard,
      async open({ width = 1_100, path = "/" } = {}) {
        const context = await started.newContext({
          viewport: { width, height: 800 },
          httpCredentials: { username: login.user, password: login.password },
        });
        contexts.push(context);
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("console", (message) => {
          if (message.type() === "error") complaints.push(message.text());
        });
        await page.clock.install();
        await page.goto(origin + path);
        return { page, context, complaints };
      },
    };
  };
}
