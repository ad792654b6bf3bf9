import { randomBytes } from "node:crypto";
import {
  clientOf,
  type MailServer,
  type OpenIdProvider,
  startMailServer,
  startOpenIdProvider,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import PostalMime from "postal-mime";
import { useServer } from "../clients/support/server.ts";
import { accessibilityFaults } from "./support/axe.ts";
import { useChromium } from "./support/chromium.ts";

/** Domain of the company whose people sign up by themselves. */
const domain = "bells.example";
const stranger = "eve@elsewhere.example";

interface Person {
  readonly email: string;
  readonly name: string;
  readonly password: string;
}
const ada = { email: `ada@${domain}`, name: "Ada Invited", password: "four quiet herons drink" };
const ben = { email: `ben@${domain}`, name: "Ben Linked", password: "five brown otters swim" };
const cleo = { email: `cleo@${domain}`, name: "Cleo Domain", password: "six grey badgers dig" };

describe("A day on which people join, in Chromium and with the phone", () => {
  const newPage = useChromium();
  let mails: MailServer | undefined;
  let provider: OpenIdProvider | undefined;
  const server = useServer(async (url) => {
    mails = await startMailServer();
    provider = await startOpenIdProvider({
      returnAddress: `${url}/complete/oidc/`,
      person: { sub: "cleo", email: cleo.email, email_verified: true, name: cleo.name },
    });
    return { SMTP_URL: mails.url, ...provider.variables };
  });
  after(() => Promise.all([mails?.close(), provider?.close()]));

  const desktop = () => newPage({ viewport: { width: 1_200, height: 800 }, locale: "en-US" });
  const phone = () =>
    newPage({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      locale: "en-US",
    });

  /** All mails so far. */
  const received = () =>
    Promise.all(
      (mails?.received ?? []).map(async ({ to: [to = ""], raw }) => {
        const { subject = "", text = "" } = await PostalMime.parse(raw);
        return { to, subject, text };
      }),
    );
  /** Waits for a mail to an address. */
  const mailTo = (address: string, subject: string) =>
    waitFor(
      async () =>
        (await received()).findLast(
          (mail) => mail.to === address && mail.subject.includes(subject),
        ),
      { what: `${address} has a mail about ${subject}` },
    );
  /** Waits for a mail. @returns the link that is alone on a line of it */
  const linkTo = async (address: string, subject: string): Promise<string> => {
    const { text } = await mailTo(address, subject);
    const [link] = /^http:\S+$/m.exec(text) ?? [];
    if (link === undefined) throw new Error(`no link in ${text}`);
    return link;
  };
  const heading = (page: Page, name: RegExp | string) =>
    page.getByRole("heading", { level: 1, name }).waitFor();
  /** Fills the form of the page and sends it. @param fields by label */
  const fill = async (page: Page, fields: Readonly<Record<string, string>>, button: string) => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
    await page.getByRole("button", { name: button }).click();
  };
  const join = async (page: Page, link: string, { name, password }: Person) => {
    await page.goto(link);
    await fill(page, { "Your name": name, "A password": password }, "Join");
    await heading(page, /^Welcome to/);
  };
  /** Logs in as an app that asks for the password. */
  const logIn = ({ email, password }: Person) =>
    server.as(undefined).post("/api/v1/fetch_api_key", { username: email, password });
  /** The account's requests, with the key that its password gives. */
  const clientFor = async (person: Person) => {
    const { body, text } = await logIn(person);
    expect(body.result, text).to.equal("success");
    const { user_id: id, api_key: apiKey } = body as { user_id: number; api_key: string };
    return { id, apiKey, client: clientOf(server.url, { email: person.email, apiKey }) };
  };
  let link = "";

  it("1. the owner lets a domain in, invites one person, and makes a link for others", async () => {
    const owner = server.as("owner");
    const change = async (answer: ReturnType<typeof owner.get>) => {
      const { status, text, body } = await answer;
      expect(status, text).to.equal(200);
      return body;
    };
    const channels = (await change(owner.get("/api/v1/streams")))["streams"] as Array<{
      stream_id: number;
    }>;
    const general = channels[0]?.stream_id;
    await change(owner.post("/api/v1/realm/domains", { domain, allow_subdomains: false }));
    await change(
      owner.patch("/api/v1/realm", {
        invite_required: false,
        emails_restricted_to_domains: true,
        signup_announcements_stream_id: general,
      }),
    );
    const offer = { stream_ids: [general], include_realm_default_subscriptions: true };
    await change(owner.post("/api/v1/invites", { invitee_emails: ada.email, ...offer }));
    link = String((await change(owner.post("/api/v1/invites/multiuse", offer)))["invite_link"]);
    const { invites } = (await change(owner.get("/api/v1/invites"))) as { invites: unknown[] };
    expect(invites).to.have.length(2);
  });

  it("2. Ada joins by the mailed invitation", async () => {
    const { page, complaints } = await desktop();
    await join(page, await linkTo(ada.email, "You are invited"), ada);
    expect(complaints).to.deep.equal([]);
    await clientFor(ada);
    const { invites } = (await server.as("owner").get("/api/v1/invites")).body as {
      invites: Array<{ is_multiuse: boolean }>;
    };
    expect(invites.map(({ is_multiuse: isMultiuse }) => isMultiuse)).to.deep.equal([true]);
  });

  it("3. Ben joins by the reusable link, which asks for his address first", async () => {
    const { page, complaints } = await desktop();
    await page.goto(link);
    await fill(page, { "Your e-mail address": ben.email }, "Send the link");
    await heading(page, "Check your e-mail");
    await join(page, await linkTo(ben.email, "Join"), ben);
    expect(complaints).to.deep.equal([]);
    await clientFor(ben);
    // The link stays for others.
    await page.goto(link);
    await heading(page, /^Join/);
  });

  it("4. Cleo signs up with an address of the domain; another address gets no mail", async () => {
    const { page, complaints } = await desktop();
    for (const email of [stranger, cleo.email]) {
      await page.goto(`${server.url}/register`);
      await fill(page, { "E-mail address": email }, "Send the link");
      await heading(page, "Check your e-mail");
    }
    await join(page, await linkTo(cleo.email, "Join"), cleo);
    expect(complaints).to.deep.equal([]);
    await clientFor(cleo);
    const announced = async () => {
      const narrow = [
        { operator: "channel", operand: "general" },
        { operator: "topic", operand: "signups" },
      ];
      const { body } = await server.as("owner").get("/api/v1/messages", {
        narrow,
        anchor: "newest",
        num_before: 10,
        num_after: 0,
        apply_markdown: false,
      });
      const messages = body["messages"] as Array<{ content: string }>;
      return messages.length === 3 && messages.map(({ content }) => content).join("\n");
    };
    const text = await waitFor(announced, { what: "three new people are announced" });
    for (const { name } of [ada, ben, cleo]) expect(text).to.include(`@_**${name}|`);
  });

  it("5. Ben has forgotten his password, and sets another; his key stays", async () => {
    const { apiKey } = await clientFor(ben);
    const { page, complaints } = await desktop();
    await page.goto(`${server.url}/accounts/login`);
    await page.getByRole("link", { name: "I have forgotten my password" }).click();
    await fill(page, { "E-mail address": ben.email }, "Send the link");
    await heading(page, "Check your e-mail");
    await page.goto(await linkTo(ben.email, "Your password for"));
    const password = "seven red foxes sleep";
    await fill(page, { "New password": password }, "Set the password");
    await heading(page, "Your password is set");
    expect(complaints).to.deep.equal([]);
    expect((await logIn(ben)).body.code).to.equal("AUTHENTICATION_FAILED");
    expect(await clientFor({ ...ben, password })).to.include({ apiKey });
    expect((await mailTo(ben.email, "was changed")).text).to.include("API key is the same");
  });

  /** Opens a page in the phone's browser, and follows it until it would open the app. @returns the app's address */
  async function appAddress(page: Page, url: string): Promise<URL> {
    const addresses: string[] = [];
    const session = await page.context().newCDPSession(page);
    session.on("Network.responseReceivedExtraInfo", ({ headers }) => {
      for (const [name, value] of Object.entries(headers))
        if (name.toLowerCase() === "location" && value.startsWith("zulip:")) addresses.push(value);
    });
    await session.send("Network.enable");
    // Chromium has no app for this address, and breaks the navigation off.
    await page.goto(url).catch(() => undefined);
    return new URL(await waitFor(() => addresses[0], { what: "the page opens the app" }));
  }

  it("6. Cleo signs in to the phone app through the provider", async () => {
    const { body } = await server.as(undefined).get("/api/v1/server_settings");
    const [method] = body["external_authentication_methods"] as Array<Record<string, string>>;
    expect(method).to.include({ name: "oidc:main", display_name: "Team" });
    const pad = randomBytes(32);
    const start = new URL(method?.["login_url"] ?? "", server.url);
    start.search = `?mobile_flow_otp=${pad.toString("hex")}`;
    const { page } = await phone();
    const { protocol, host, searchParams } = await appAddress(page, start.href);
    expect(`${protocol}//${host}`).to.equal("zulip://login");
    const { otp_encrypted_api_key: encrypted = "", ...rest }: Record<string, string> =
      Object.fromEntries(searchParams);
    const { id, apiKey } = await clientFor(cleo);
    expect(rest).to.deep.equal({ email: cleo.email, user_id: String(id), realm: server.url });
    const key = Buffer.from(encrypted, "hex").map((byte, i) => byte ^ (pad[i] ?? 0));
    expect(Buffer.from(key).toString()).to.equal(apiKey);
    expect((await mailTo(cleo.email, "through Team")).text).to.include(cleo.email);
    const registered = await clientOf(server.url, { email: rest["email"] ?? "", apiKey }).post(
      "/api/v1/register",
      { event_types: ["message"] },
    );
    expect(registered.body.result, registered.text).to.equal("success");
  });

  it("7. Cleo is deactivated, and loses everything", async () => {
    const { id, client } = await clientFor(cleo);
    const general = await client.get("/api/v1/streams");
    const [{ stream_id: channelId } = { stream_id: 0 }] = general.body["streams"] as Array<{
      stream_id: number;
    }>;
    await client.post("/api/v1/invites", {
      invitee_emails: `dan@${domain}`,
      stream_ids: [channelId],
    });
    const invitation = await linkTo(`dan@${domain}`, "You are invited");
    const { page } = await desktop();
    await page.goto(`${server.url}/accounts/password/reset`);
    await fill(page, { "E-mail address": cleo.email }, "Send the link");
    const reset = await linkTo(cleo.email, "Your password for");
    await page.goto(`${server.url}/accounts/login`);
    const login = { "E-mail address": cleo.email, Password: cleo.password };
    await fill(page, login, "Sign in");
    await heading(page, "You are signed in");
    const { body: queue } = await client.post("/api/v1/register", { event_types: ["message"] });
    const poll = client.get("/api/v1/events", {
      queue_id: queue["queue_id"],
      last_event_id: queue["last_event_id"],
    });
    const queues = () => server.db.rows("SELECT FROM event_queue WHERE user_id = $1", [id]);
    expect(await queues()).to.have.length(2);

    const gone = await server.as("owner").delete(`/api/v1/users/${id}`);
    expect(gone.body.result, gone.text).to.equal("success");

    expect((await poll).status).to.equal(401);
    expect((await client.get("/api/v1/users/me")).status).to.equal(401);
    expect(await queues()).to.deep.equal([]);
    expect((await logIn(cleo)).body.code).to.equal("USER_DEACTIVATED");
    // The page that is still open gives nothing any more.
    await page.getByRole("button", { name: "Download the zuliprc file" }).click();
    await heading(page, "This page does not exist");
    for (const url of [invitation, reset]) {
      expect((await page.goto(url))?.status(), url).to.equal(404);
      expect(await accessibilityFaults(page)).to.deep.equal([]);
    }
    await page.goto(`${server.url}/accounts/login`);
    await fill(page, login, "Sign in");
    await page.getByRole("alert").waitFor();
    const start = `${server.url}/accounts/login/social/oidc?mobile_flow_otp=${"0".repeat(64)}`;
    const refused = await (await phone()).page.goto(start);
    expect(refused?.status()).to.equal(403);
  });

  it("sends no mail to the address of another domain", async () => {
    const addresses = (await received()).map(({ to }) => to);
    expect(addresses).to.include(cleo.email).and.not.include(stranger);
  });
});
