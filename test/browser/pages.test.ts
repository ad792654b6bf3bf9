import { once } from "node:events";
import {
  changeOrganization,
  linkIn,
  reservePort,
  sentMails,
  startGateway,
  testSite,
  user,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { accessibilityFaults } from "./support/axe.ts";
import { useChromium } from "./support/chromium.ts";
import { type SiteWithProvider, useSiteWithProvider } from "./support/site-with-provider.ts";

/** On a wide screen in light colours, and on a phone in dark colours. */
const screens = [
  { width: 1_200, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;

const password = "four quiet herons drink";

describe("pages for people in a browser", () => {
  const newPage = useChromium();
  const site = useSiteWithProvider({
    name: "Wolfeschlegelsteinhausenbergerdorff",
    async prepare({ db, org }) {
      await changeOrganization(db, org.realm, { inviteRequired: false });
    },
  });
  let { db, org, provider, url } = {} as SiteWithProvider;
  before(() => {
    ({ db, org, provider, url } = site());
  });

  const mails = () => sentMails(db, { site: testSite({ url }) });
  /** The link in the mail to an address. */
  const linkTo = async (address: string) =>
    linkIn((await mails()).find(({ to }) => to === address));
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

      it("sign up at the identity provider, which tells no name", async () => {
        const email = `provided-${width}@carillon.test`;
        provider.person = { sub: email, email, email_verified: true };
        const { page, complaints } = await open(`${url}/register`);
        await press(page, "a[href*=social]");
        await heading(page, /^Join/);
        await check(page);
        await type(page, "full_name", "@all");
        await press(page, "button");
        await page.getByRole("alert").waitFor();
        await check(page);
        await type(page, "full_name", "Polly Provided");
        await press(page, "button");
        await heading(page, "You are signed in");
        await check(page);
        // Afterwards, the login page leads there at once.
        await page.goto(`${url}/accounts/login`);
        await check(page);
        await press(page, "a[href*=social]");
        await heading(page, "You are signed in");
        const phone = `?mobile_flow_otp=${"0".repeat(64)}`;
        provider.person = { ...provider.person, sub: `${email}2`, email: `phone-${email}` };
        const { page: onPhone } = await open(`${url}/accounts/login/social/oidc${phone}`);
        await heading(onPhone, /^Join/);
        await type(onPhone, "full_name", "Penny Phone");
        await press(onPhone, "button");
        await heading(onPhone, "Your account is ready");
        await check(onPhone);
        const address = await onPhone.getByRole("link").getAttribute("href");
        expect(address).to.match(/^zulip:\/\/login\?otp_encrypted_api_key=[0-9a-f]{64}&/);
        expect(complaints.filter((text) => !text.includes("400"))).to.deep.equal([]);
      });

      it("read why a sign-in at the identity provider fails", async () => {
        const beginning = `${url}/accounts/login/social/oidc`;
        const { page, complaints } = await open(`${beginning}?desktop_flow_otp=${"0".repeat(64)}`);
        const shows = async (name: RegExp | string, text: RegExp) => {
          await heading(page, name);
          expect(await page.locator("main").innerText()).to.match(text);
          await check(page);
        };
        await shows("This was not accepted", /does not support/);
        await page.goto(`${url}/complete/oidc/?state=unknown&code=x`);
        await shows("This sign-in is over", /Begin again/);
        const begun = await page.request.get(beginning, { maxRedirects: 0 });
        const state = new URL(begun.headers()["location"] ?? "").searchParams.get("state") ?? "";
        await page.goto(`${url}/complete/oidc/?state=${state}&error=access_denied`);
        await shows("You are not signed in", /Team did not confirm who you are/);
        provider.person = { sub: `unverified-${width}`, email: "someone@carillon.test" };
        await page.goto(beginning);
        await shows(/^You cannot sign in to/, /has not confirmed your e-mail address/);
        const issuer = `http://127.0.0.1:${await reservePort()}`;
        const site = { url, identityProvider: { ...provider.config, issuer } };
        const away = await startGateway(db, { site });
        const without = await startGateway(db, { site: { url } });
        try {
          await page.goto(`${away.url}/accounts/login/social/oidc`);
          await shows("You cannot sign in now", /Team does not answer/);
          await page.goto(`${without.url}/accounts/login/social/oidc`);
          await shows("There is no such way to sign in", /does not use/);
        } finally {
          await Promise.all([away.close(), without.close()]);
        }
        expect(complaints.filter((text) => !/40[034]|503/.test(text))).to.deep.equal([]);
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
