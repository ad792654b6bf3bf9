import { existsSync } from "node:fs";
import { basename } from "node:path";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright-core";

/** Paths at which Debian and other systems install it. */
const executables = [
  process.env["CARILLON_TEST_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught errors and errors on the console, such as violations of the content security policy. */
  readonly complaints: readonly string[];
}

/** How long a page may take for what a test waits for, in milliseconds; Playwright's 30 s are few on a busy machine. */
const patienceMs = 60_000;

/** Opens an empty page in a new context, which is closed after the test. */
export type NewPage = (options: BrowserContextOptions) => Promise<OpenPage>;

/** Starts Chromium for the tests of the enclosing `describe`; skips them if it is not installed. */
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
    context.setDefaultTimeout(patienceMs);
    contexts.push(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error")
        complaints.push(`${message.text()} (${message.location().url})`);
    });
    return { page, context, complaints };
  };
}
