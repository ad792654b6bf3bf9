import { once } from "node:events";
import { makeResetLink, sendMail } from "@carillon/jobs";
import { unqueuedIntents } from "@carillon/outbox";
import {
  changeOrganization,
  type Gateway,
  organization,
  reservePort,
  runJob,
  startGateway,
  type TestOrganization,
  testSite,
  useDatabase,
  user,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { accessibilityFaults } from "./support/axe.ts";
import { useChromium } from "./support/chromium.ts";

/** On a wide screen in light colours, and on a phone in dark colours. */
const screens = [
  { width: 1_200, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;

const password = "four quiet herons drink";

describe("pages for people in a browser", () => {
  const newPage = useChromium();
  const db = useDatabase();
  let gateway: Gateway;
  let org: TestOrganization;
  let url: string;
  before(async () => {
    const port = await reservePort();
    url = `http://127.0.0.1:${port}`;
    org = await organization(db, { subdomain: "", name: "Wolfeschlegelsteinhausenbergerdorff" });
    await changeOrganization(db, org.realm, { inviteRequired: false });
    gateway = await startGateway(db, { site: { url }, port });
  });
  after(() => gateway?.close());

  /** Runs the pending jobs. @returns the mails */
  async function mails() {
    const sent = [];
    for (const job of [makeResetLink, sendMail]) {
      const options = { jobs: [job.name], olderThanMs: 0, limit: 99 };
      for (const { intentId, version } of await unqueuedIntents(db, options)) {
        const services = { site: testSite({ url }) };
        sent.push(
          ...(await runJob(db, job as typeof sendMail, { intentId, version }, { services })).mail,
        );
      }
    }
    return sent;
  }
  /** The link in the mail to an address. */
  async function linkTo(address: string): Promise<string> {
    const mail = (await mails()).find(({ to }) => to === address);
    const [link] = /^http:\S+$/m.exec(mail?.text ?? "") ?? [];
    if (link === undefined) throw new Error(`no link in ${JSON.stringify(mail)}`);
    return link;
  }
  /** Checks what every page must be. */
  async function check(page: Page): Promise<void> {
    const faults = await accessibilityFaults(page);
    expect(faults.filter((fault) => /^(critical|serious) /.test(fault))).to.deep.equal([]);
    const scroll = await page.evaluate<number>("document.documentElement.scrollWidth");
    const width = await page.evaluate<number>("document.documentElement.clientWidth");
    expect(scroll, `${page.url()} is wider than the screen`).to.be.at.most(width);
  }
  /** Moves the focus by the tabulator key to the element that matches. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let i = 0; i < 20; i++) {
      const isThere = `document.activeElement.matches(${JSON.stringify(selector)})`;
      if (await page.evaluate<boolean>(isThere)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the tabulator key does not reach ${selector} on ${page.url()}`);
  }
  async function type(page: Page, name: string, text: string): Promise<void> {
    await tabTo(page, `input[name=${name}]`);
    await page.keyboard.press("Control+A");
    await page.keyboard.type(text);
  }
  async function press(page: Page, selector: string, key = "Enter"): Promise<void> {
    await tabTo(page, selector);
    await page.keyboard.press(key);
  }
  const heading = (page: Page, name: RegExp | string) =>
    page.getByRole("heading", { level: 1, name }).waitFor();

  for (const { width, colorScheme } of screens)
    describe(`at ${width} px, ${colorScheme}, by keyboard`, () => {
      const open = async (path: string) => {
        const opened = await newPage({
          viewport: { width, height: 800 },
          colorScheme,
          locale: "en-US",
        });
        await opened.page.goto(path);
        return opened;
      };
      const person = () => user(db, org.realm, { password: "an old pass phrase" });

      it("reset a password", async () => {
        const me = await person();
        const { page, complaints } = await open(`${url}/accounts/password/reset`);
        await check(page);
        await type(page, "email", me.deliveryEmail);
        await page.keyboard.press("Enter");
        await heading(page, "Check your e-mail");
        await check(page);

        await page.goto(await linkTo(me.deliveryEmail));
        await check(page);
        await type(page, "password", "aaaaaaaaaaaa");
        await press(page, "button");
        await heading(page, /^Set a new password/);
        await page.getByRole("alert").waitFor();
        expect(await page.getByRole("alert").textContent()).to.match(
          /too easy to guess|most common/,
        );
        expect(await page.inputValue("input[name=password]")).to.equal("");
        await check(page);
        await type(page, "password", password);
        await press(page, "input[name=new_api_key]", "Space");
        await press(page, "button");
        await heading(page, "Your password is set");
        await check(page);
        expect(page.url()).to.equal(`${url}/accounts/password/reset/done`);
        const [told] = await mails();
        expect(told?.text).to.include("API key was replaced too");
        // The browser reports the status of the form that is shown again.
        expect(complaints.filter((text) => !text.includes("400"))).to.deep.equal([]);
      });

      it("sign up and join", async () => {
        const email = `new-${width}@carillon.test`;
        const { page, complaints } = await open(`${url}/register`);
        await check(page);
        await type(page, "email", email);
        await page.keyboard.press("Enter");
        await heading(page, "Check your e-mail");
        await check(page);
        await page.goto(await linkTo(email));
        await heading(page, /^Join/);
        await check(page);
        await type(page, "full_name", "Nell New");
        await type(page, "password", "iloveyou");
        await press(page, "button");
        await page.getByRole("alert").waitFor();
        await check(page);
        expect(await page.inputValue("input[name=full_name]")).to.equal("Nell New");
        await type(page, "password", password);
        await press(page, "button");
        await heading(page, /^Welcome/);
        await check(page);
        expect(page.url()).to.equal(`${url}/joined`);
        expect(complaints.filter((text) => !text.includes("400"))).to.deep.equal([]);
      });

      it("sign in and download the zuliprc file once", async () => {
        const me = await person();
        const { page, complaints } = await open(`${url}/accounts/login`);
        await check(page);
        await type(page, "username", me.deliveryEmail);
        await type(page, "password", "wrong");
        await page.keyboard.press("Enter");
        await page.getByRole("alert").waitFor();
        await check(page);
        expect(await page.inputValue("input[name=username]")).to.equal(me.deliveryEmail);
        await type(page, "password", "an old pass phrase");
        await page.keyboard.press("Enter");
        await heading(page, "You are signed in");
        await check(page);
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          press(page, "button"),
        ]);
        expect(download.suggestedFilename()).to.equal("zuliprc");
        const file = await download.createReadStream();
        const chunks: Buffer[] = [];
        file.on("data", (chunk: Buffer) => chunks.push(chunk));
        await once(file, "end");
        expect(Buffer.concat(chunks).toString()).to.include(`key=${me.apiKey}\nsite=${url}\n`);
        await press(page, "button");
        await heading(page, "This page does not exist");
        await check(page);
        expect(complaints.filter((text) => !/40[04]/.test(text))).to.deep.equal([]);
      });
    });
});
