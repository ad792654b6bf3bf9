import { existsSync } from "node:fs";
import { basename } from "node:path";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright-core";

/** Where Debian's package and others put it. */
const executables = [
  process.env["CARILLON_TEST_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts and what the console calls errors, such as what the policy of the page refuses. */
  readonly complaints: readonly string[];
}

/** Makes an empty page of a fresh context, which is closed after the test. */
export type NewPage = (options: BrowserContextOptions) => Promise<OpenPage>;

/** For the tests of the enclosing `describe`, which are skipped where no Chromium is installed. */
export function useChromium(): NewPage {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  before("start Chromium", async function () {
    const executablePath = executables.find((path) => path !== undefined && existsSync(path));
    if (executablePath === undefined) this.skip();
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    console.log(`        with ${basename(executablePath)}`);
    browser = await chromium.launch({ executablePath, args });
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });
  after(() => browser?.close());

  return async (options) => {
    if (!browser) throw new Error("the browser runs only during the tests");
    const context = await browser.newContext(options);
    contexts.push(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    return { page, context, complaints };
  };
}
