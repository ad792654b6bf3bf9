import {
  type Gateway,
  linkIn,
  organization,
  reservePort,
  sentMails,
  startGateway,
  succeeded,
  testSite,
  user,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { seriousFaults } from "./support/axe.ts";
import { buildClient } from "./support/built-client.ts";
import { useChromium } from "./support/chromium.ts";
import { type SiteWithProvider, useSiteWithProvider } from "./support/site-with-provider.ts";

const password = "four quiet herons drink";

describe("Signing in to the browser client", () => {
  const newPage = useChromium();
  const site = useSiteWithProvider({
    name: "Herons",
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
  let { db, gateway, org, provider, url } = {} as SiteWithProvider;
  before(() => {
    ({ db, gateway, org, provider, url } = site());
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

  const signInAs = async (page: Page, email: string, secret: string) => {
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password").fill(secret);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };

  for (const width of [1_200, 390]) {
    it(`takes one click as a demo account, at ${width} px`, async () => {
      const { page, complaints } = await open(width);
      const button = page.getByRole("button", { name: "Max Member" });
      await button.waitFor();
      expect(await seriousFaults(page)).to.deep.equal([]);
      const room = await page.evaluate<number[]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      expect(room[0]).to.be.at.most(room[1] ?? 0);
      await button.click();
      await signedIn(page);
      expect(complaints.filter((one) => !one.includes("ERR_"))).to.deep.equal([]);
    });

    it(`signs in with a password, and says that one is wrong, at ${width} px`, async () => {
      const me = await user(db, org.realm, { password });
      const { page } = await open(width);
      await signInAs(page, me.deliveryEmail, "wrong");
      expect(await page.getByRole("alert").textContent()).to.include("is wrong");
      // What was typed stays.
      expect(await page.getByLabel("E-mail address").inputValue()).to.equal(me.deliveryEmail);
      await signInAs(page, me.deliveryEmail, password);
      await signedIn(page);
      expect(await keys(page)).to.include(me.apiKey);
    });

    it(`says that an account is deactivated, before and after it signs in, at ${width} px`, async () => {
      const me = await user(db, org.realm, { password });
      const { page } = await open(width);
      await signInAs(page, me.deliveryEmail, password);
      await signedIn(page);
      const path = `/api/v1/users/${me.id}`;
      succeeded(await gateway.as(org.owner).delete(path));
      const alert = page.getByRole("alert");
      await alert.filter({ hasText: "You have been signed out" }).waitFor();
      expect(await keys(page)).not.to.include(me.apiKey);
      await signInAs(page, me.deliveryEmail, password);
      await alert.filter({ hasText: "The account is deactivated" }).waitFor();
    });

    it(`signs in who has joined by an invitation link, at ${width} px`, async () => {
      const { invite_link: link } = succeeded(
        await gateway
          .as(org.owner)
          .post("/api/v1/invites/multiuse", { invite_expires_in_minutes: 60 }),
      ) as unknown as { invite_link: string };
      const email = `joins-${width}@carillon.test`;
      const { page } = await open(width, new URL(link).pathname);
      await page.locator("input[name=email]").fill(email);
      await page.locator("button").first().click();
      await page.getByRole("heading", { level: 1, name: "Check your e-mail" }).waitFor();
      const mail = (await sentMails(db, { site: testSite({ url }) })).find(
        ({ to }) => to === email,
      );
      await page.goto(linkIn(mail));
      await page.locator("input[name=full_name]").fill("Joan");
      await page.locator("input[name=password]").fill(password);
      await page.locator("button").first().click();
      await page.getByRole("link", { name: /^Open / }).click();
      await signInAs(page, email, password);
      await signedIn(page);
    });

    it(`forgets the key when it signs out, and revokes nothing, at ${width} px`, async () => {
      const me = await user(db, org.realm, { password });
      const { page } = await open(width);
      await signInAs(page, me.deliveryEmail, password);
      await signedIn(page);
      if (width < 760) await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      expect(await keys(page)).not.to.include(me.apiKey);
      await page.reload();
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      const { user_id } = succeeded(await gateway.as(me).get("/api/v1/users/me"));
      expect(user_id).to.equal(me.id);
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
      // Pictures of people are elsewhere, where a test machine may not reach them.
      expect(complaints.filter((one) => !one.includes("gravatar"))).to.deep.equal([]);
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

  describe("at several organizations", () => {
    let first: string;
    let parent: Gateway;
    before(async () => {
      const port = await reservePort();
      // Browsers find such names on this machine.
      first = `http://chat.localhost:${port}`;
      parent = await startGateway(db, {
        site: { url: first, webClient: true },
        port,
        app: { webClient: await buildClient(first) },
      });
    });
    after(() => parent?.close());

    for (const width of [1_200, 390])
      it(`keeps accounts of several organizations, at ${width} px`, async () => {
        const other = await organization(db, { subdomain: `two${width}`, name: `Cranes ${width}` });
        const address = first.replace("chat.", `two${width}.chat.`);
        const [ann, bob] = [
          await user(db, org.realm, { password }),
          await user(db, other.realm, { password }),
        ];
        const { page } = await newPage({ viewport: { width, height: 800 }, locale: "en-US" });
        await page.goto(first);
        await signInAs(page, ann.deliveryEmail, password);
        await signedIn(page);
        const menu = async (item: string | RegExp) => {
          if (width < 760) await page.getByRole("button", { name: "Menu", exact: true }).click();
          await page.getByRole("button", { name: "Account", exact: true }).click();
          await page.getByRole("menuitem", { name: item }).click();
        };
        await menu("Add an account");
        await page.getByText("Another organization").click();
        await page.getByLabel("Address of the organization").fill("no address");
        await signInAs(page, bob.deliveryEmail, password);
        await page.getByRole("alert").filter({ hasText: "This is not the address" }).waitFor();
        await page.getByLabel("Address of the organization").fill(`${address}/`);
        await signInAs(page, bob.deliveryEmail, password);
        await waitFor(async () => (await page.title()).includes(`Cranes ${width}`), {
          what: "the second organization is shown",
        });
        expect(await keys(page))
          .to.include(ann.apiKey)
          .and.to.include(bob.apiKey);
        await menu(new RegExp(`^${ann.deliveryEmail}`));
        await waitFor(async () => (await page.title()).includes("Herons"), {
          what: "the first organization is shown",
        });
      });
  });
});
