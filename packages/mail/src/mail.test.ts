import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "@carillon/kit";
import { startMailServer, type MailServer } from "@carillon/testkit";
import { expect } from "chai";
import PostalMime from "postal-mime";

import { chooseMailer } from "./choose.ts";
import { MailRefused, type Mail } from "./mail.ts";

const mail: Mail = {
  id: "welcome-7",
  to: "ada@example.com",
  senderName: "Tower",
  subject: "A bell rings",
  text: "Come.\n",
};

const variables = { PUBLIC_URL: "https://chat.example.com:8443/" };

describe("Mail", () => {
  let server: MailServer;
  let folder: string;
  beforeEach(async () => {
    server = await startMailServer();
    folder = await mkdtemp(join(tmpdir(), "carillon-mail-"));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const mailer = (more: Record<string, string>) =>
    chooseMailer(readEnvironment({ ...variables, ...more }));
  const bySmtp = (more: Record<string, string> = {}) => mailer({ SMTP_URL: server.url, ...more });
  const sent = async (given: Partial<Mail>) => {
    await bySmtp().send({ ...mail, ...given });
    const last = server.received.at(-1);
    if (!last) throw new Error("nothing came");
    return { ...last, parsed: await PostalMime.parse(last.raw) };
  };
  const refusal = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it("names the address that ends such mails, for a mail program's button", async () => {
    const header = async (given: Partial<Mail>, name: string) =>
      (await sent(given)).parsed.headers.find(({ key }) => key === name)?.value;
    const unsubscribeUrl = "https://chat.example.com/accounts/unsubscribe/missed_messages/7x12";
    expect(await header({ unsubscribeUrl }, "list-unsubscribe")).to.equal(`<${unsubscribeUrl}>`);
    expect(await header({ unsubscribeUrl }, "list-unsubscribe-post")).to.equal(
      "List-Unsubscribe=One-Click",
    );
    expect(await header({}, "list-unsubscribe")).to.equal(undefined);
    const injected = { unsubscribeUrl: "https://a.test/\r\nBcc: eve@b.test" };
    expect(await header(injected, "bcc")).to.equal(undefined);
  });

  it("goes to the server of SMTP_URL as plain text, from an address at the host of PUBLIC_URL", async () => {
    const { from, to, parsed } = await sent({});
    expect({ from, to }).to.deep.equal({
      from: "noreply@chat.example.com",
      to: ["ada@example.com"],
    });
    expect(parsed.from).to.include({ name: "Tower", address: "noreply@chat.example.com" });
    expect(parsed.to?.map(({ address }) => address)).to.deep.equal(["ada@example.com"]);
    expect(parsed).to.include({
      subject: "A bell rings",
      text: "Come.\n",
      messageId: "<welcome-7@chat.example.com>",
    });
    expect(parsed.html).to.equal(undefined);
    expect(parsed.headers.find(({ key }) => key === "auto-submitted")?.value).to.equal(
      "auto-generated",
    );
  });

  it("comes from MAIL_FROM if set", async () => {
    await bySmtp({ MAIL_FROM: "bells@example.org" }).send(mail);
    expect(server.received.map(({ from }) => from)).to.deep.equal(["bells@example.org"]);
  });

  it("carries users' text as plain text", async () => {
    const injected = "Tower\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>";
    const text = [
      "<b>bold</b> & =?utf-8?q?not=20encoded?=",
      ".",
      "..",
      "From ada",
      "QUIT",
      `long ${"🔔".repeat(2_000)}`,
      "RCPT TO:<eve@example.com>",
      "\u202egnihton \u0007",
      "",
    ].join("\n");
    const { to, parsed } = await sent({ senderName: injected, subject: injected, text });
    expect(to).to.deep.equal(["ada@example.com"]);
    const flat = "Tower Bcc: eve@example.com <script>alert(1)</script>";
    expect(parsed.subject).to.equal(flat);
    expect(parsed.from?.name).to.equal(flat);
    expect(parsed.bcc ?? []).to.deep.equal([]);
    expect(parsed.text).to.equal(text);
    expect(parsed.html).to.equal(undefined);
    expect(parsed.attachments).to.deep.equal([]);
  });

  for (const name of ['"Ada" <eve@example.com>', "Ada, Bob; Eve: x", "Ünïcödé 🔔", "", " "])
    it(`has ${JSON.stringify(name)} for a name, and no second address`, async () => {
      const { from, to, parsed } = await sent({ senderName: name });
      expect({ from, to }).to.deep.equal({
        from: "noreply@chat.example.com",
        to: ["ada@example.com"],
      });
      expect(parsed.from?.name ?? "").to.equal(name.trim());
      expect(parsed.from?.address).to.equal("noreply@chat.example.com");
    });

  for (const to of [
    "ada@example.com\r\nRCPT TO:<eve@example.com>",
    "ada@example.com, eve@example.com",
    "ada@example.com eve@example.com",
    "<eve@example.com> ada@example.com",
    "team: eve@example.com;",
    "ada",
    "",
  ])
    it(`is refused for the address ${JSON.stringify(to)}, and is not sent`, async () => {
      expect(await refusal(bySmtp().send({ ...mail, to }))).to.be.instanceOf(MailRefused);
      expect(server.received).to.deep.equal([]);
    });

  it("refuses an id that could name another file", async () => {
    for (const id of ["../welcome", "a/b", "", "a\r\nb"])
      expect(await refusal(mailer({ DATA_DIR: folder }).send({ ...mail, id }))).to.be.instanceOf(
        RangeError,
      );
  });

  it("is refused permanently on 5xx, temporarily on 4xx", async () => {
    for (const [responseCode, kind] of [
      [550, MailRefused],
      [450, Error],
    ] as const) {
      await server.close();
      server = await startMailServer({
        onRcptTo: (_address, _session, done) =>
          done(Object.assign(new Error("no"), { responseCode })),
      });
      const error = await refusal(bySmtp().send(mail));
      expect(error).to.be.instanceOf(kind);
      expect(error instanceof MailRefused).to.equal(responseCode === 550);
    }
  });

  it("is refused temporarily when credentials are wrong: an operator fixes them", async () => {
    await server.close();
    server = await startMailServer({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(new Error("wrong")),
    });
    const url = new URL(server.url);
    url.username = "bells";
    url.password = "s3cret";
    const error = await refusal(mailer({ SMTP_URL: url.href }).send(mail));
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(MailRefused);
    expect(String(error)).not.to.include("s3cret");
  });

  it("is retried when the server is down", async () => {
    const { url } = server;
    await server.close();
    const error = await refusal(mailer({ SMTP_URL: url }).send(mail));
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(MailRefused);
    server = await startMailServer();
  });

  it("is a private file in DATA_DIR/mail without SMTP_URL, one for each mail", async () => {
    const toFiles = mailer({ DATA_DIR: folder });
    await toFiles.send(mail);
    await toFiles.send({ ...mail, text: "Come soon.\n" });
    expect(await readdir(join(folder, "mail"))).to.deep.equal(["welcome-7.eml"]);
    const path = join(folder, "mail", "welcome-7.eml");
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    expect((await stat(join(folder, "mail"))).mode & 0o777).to.equal(0o700);
    const parsed = await PostalMime.parse(await readFile(path));
    expect(parsed).to.include({ subject: "A bell rings", text: "Come soon.\n" });
    expect(parsed.to?.map(({ address }) => address)).to.deep.equal(["ada@example.com"]);
  });
});
