import { user } from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { accessibilityFaults } from "./support/axe.ts";
import { buildClient } from "./support/built-client.ts";
import { useChromium } from "./support/chromium.ts";
import { type SiteWithProvider, useSiteWithProvider } from "./support/site-with-provider.ts";

const password = "four quiet herons drink";

describe("Signing in to the browser client", () => {
  const newPage = useChromium();
  const site = useSiteWithProvider({
    async prepare({ db, org, url }) {
      const { deliveryEmail: email } = await user(db, org.realm, { password });
      const demoAccount = { name: "member", full_name: "Max Member", email, password };
      return {
        site: { webClient: true },
        app: {
          webClient: {
            ...(await buildClient(url)),
            demoAccounts: () => Promise.resolve([demoAccount]),
          },
        },
      };
    },
  });
  let { db, org, provider, url } = {} as SiteWithProvider;
  before(() => {
    ({ db, org, provider, url } = site());
  });

  const open = async (width: number, path = "/") => {
    const opened = await newPage({ viewport: { width, height: 800 }, locale: "en-US" });
    await opened.page.goto(`${url}${path}`);
    return opened;
  };
  /** On a phone, the link is in a drawer. */
  const signedIn = (page: Page) =>
    page
      .getByRole("link", { name: "My schedule", includeHidden: true })
      .waitFor({ state: "attached" });
  const keys = (page: Page) => page.evaluate<string>("JSON.stringify({ ...localStorage })");

  for (const width of [1_200, 390]) {
    it(`takes one click as a demo account, at ${width} px`, async () => {
      const { page, complaints } = await open(width);
      const button = page.getByRole("button", { name: "Max Member" });
      await button.waitFor();
      const faults = await accessibilityFaults(page);
      expect(faults.filter((fault) => /^(critical|serious) /.test(fault))).to.deep.equal([]);
      const room = await page.evaluate<number[]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      expect(room[0]).to.be.at.most(room[1] ?? 0);
      await button.click();
      await signedIn(page);
      expect(complaints).to.deep.equal([]);
    });

    it(`goes to the identity provider and comes back with the key, at ${width} px`, async () => {
      const ann = await user(db, org.realm);
      provider.person = {
        sub: `ann-${width}`,
        email: ann.deliveryEmail,
        email_verified: true,
        name: "Ann",
      };
      const { page, complaints } = await open(width);
      await page.getByRole("button", { name: "Continue with Team" }).click();
      await signedIn(page);
      expect(await keys(page)).to.include(ann.apiKey);
      expect(page.url()).not.to.include("signed-in");
      expect(await page.evaluate<number>("sessionStorage.length")).to.equal(0);
      expect(complaints).to.deep.equal([]);
    });
  }

  it("takes no key from an address that somebody else has made", async () => {
    const query = `otp_encrypted_api_key=${"0".repeat(64)}&email=a%40example.com&user_id=1&realm=x`;
    const { page } = await open(1_200, `/#signed-in?${query}`);
    expect(await page.getByRole("alert").textContent()).to.include("started in another tab");
    expect(page.url()).not.to.include("signed-in");
    expect(await keys(page)).not.to.include("apiKey");
  });

  it("shows the client to who comes from the page of an invitation", async () => {
    const me = await user(db, org.realm, { password });
    const { page } = await open(1_200, "/joined");
    await page.getByRole("link", { name: /^Open / }).click();
    await page.getByLabel("E-mail address").waitFor();
    await page.getByLabel("E-mail address").fill(me.deliveryEmail);
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).to.include("is wrong");
  });
});
