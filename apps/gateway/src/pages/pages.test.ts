import { createHash } from "node:crypto";

import { errors, form as parameter, operation, pageForm, path } from "@carillon/contract";
import { startGateway, useDatabase, organization, type Gateway } from "@carillon/testkit";
import { expect } from "chai";

import { html } from "@carillon/kit";
import { handle } from "../handle.ts";
import { form, textField, tickBox } from "../http/form-fields.ts";
import { page, problemOf, redirect } from "../http/page.ts";

const at = {
  path: "/try/{key}",
  page: true,
  access: "anyone",
  pathParams: { key: path.key() },
  summary: "Try",
} as const;
const pageType = "text/html; charset=utf-8";
const show = operation({
  ...at,
  id: "show-try",
  method: "GET",
  raw: [{ status: 200, about: "A page.", type: "text/html" }],
});
const send = operation({
  ...at,
  id: "send-try",
  method: "POST",
  params: { ...pageForm, name: parameter.text().default("") },
  raw: [{ status: 303, about: "Done." }],
});

describe("Pages for people", () => {
  const db = useDatabase();
  const taken: string[] = [];
  const handlers = [
    handle.page(show, async ({ path: { key } }, { realm, guard }) => {
      if (key !== "known") throw errors.notFound404("there is no such key");
      const field = textField({
        name: "name",
        label: "<Name>",
        autocomplete: "name",
        value: '"&<b>',
        hint: "Say it",
        problem: "Not that one",
      });
      const fields = [field, tickBox({ name: "terms", label: html`I <b>agree</b>` })];
      return page({
        title: `Welcome to ${realm.name}`,
        body: form(guard, { fields, submit: "Go on" }),
      });
    }),
    handle.page(send, async ({ input: { name } }, { guard }) => {
      try {
        if (name === "") throw errors.badRequest("Say a name");
        if (name === "limit") throw errors.rateLimitHit(7);
        if (name === "crash") throw new Error("the reason");
      } catch (error) {
        const problem = problemOf(error);
        const field = textField({ name: "name", label: "Name", autocomplete: "name", problem });
        return page({
          title: "Again",
          status: 400,
          body: form(guard, { fields: field, submit: "Go on" }),
        });
      }
      taken.push(name);
      return redirect("/try/done");
    }),
  ];
  let gateway: Gateway;
  let secure: Gateway;
  before(async () => {
    await organization(db, { name: "<i>Rust & Co</i>", subdomain: "" });
    gateway = await startGateway(db, { handlers });
    secure = await startGateway(db, { handlers, site: { url: "https://carillon.test" } });
  });
  after(async () => {
    await gateway.close();
    await secure.close();
  });
  beforeEach(() => void (taken.length = 0));

  const get = (target: string, headers = {}, of = gateway) =>
    of.anonymous.send("GET", target, { headers });
  /** Opens the form as a browser. @returns what the browser sends back */
  async function opened(of = gateway) {
    const { text, headers } = await get("/try/known", {}, of);
    const [, token = ""] = /name="csrf_token"\s+value="([\w-]{43})"/.exec(text) ?? [];
    const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
    return { token, cookie };
  }
  const post = (
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    of = gateway,
  ) =>
    of.anonymous.send("POST", "/try/known", {
      body: new URLSearchParams(fields),
      headers,
      redirect: "manual",
    });

  it("have headers that keep them out of frames, caches, other sites and referrers", async () => {
    for (const target of ["/try/known", "/try/known/", "//try//known", "/try/unknown"])
      for (const method of ["GET", "HEAD"]) {
        const { headers, status } = await gateway.anonymous.send(method, target);
        expect(status).to.equal(target === "/try/unknown" ? 404 : 200);
        expect(headers.get("content-type")).to.equal(pageType);
        expect(headers.get("cache-control")).to.equal("no-store");
        expect(headers.get("referrer-policy")).to.equal("no-referrer");
        expect(headers.get("x-frame-options")).to.equal("DENY");
        expect(headers.get("x-content-type-options")).to.equal("nosniff");
        const policy = headers.get("content-security-policy");
        expect(policy).to.match(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; /);
        expect(policy).to.include("form-action 'self'").and.include("frame-ancestors 'none'");
        expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).to.eql([]);
      }
    const { text } = await get("/try/known");
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
    const digest = createHash("sha256").update(style).digest("base64");
    const { headers } = await get("/try/known");
    expect(headers.get("content-security-policy")).to.include(`style-src 'sha256-${digest}'`);
    expect(text).not.to.match(/<script|<img|<link|\bstyle=|\son\w+=|https?:/);
  });

  it("escape every value", async () => {
    const { text } = await get("/try/known");
    expect(text).to.include("<title>Welcome to &lt;i&gt;Rust &amp; Co&lt;/i&gt;</title>");
    expect(text).to.include('value="&quot;&amp;&lt;b&gt;"').and.include("&lt;Name&gt;");
    expect(text).to.include("I <b>agree</b>");
  });

  it("connect a field with its label, its hint and its problem", async () => {
    const { text } = await get("/try/known");
    expect(text)
      .to.include('<label for="name">')
      .and.match(/<input\s+id="name"\s+name="name"/);
    expect(text).to.include('aria-describedby="name-problem name-hint"');
    expect(text).to.include('id="name-hint"').and.include('id="name-problem" role="alert"');
  });

  it("answer 404 alike for unknown, long and malformed keys", async () => {
    const targets = ["unknown", "x".repeat(101), "a%00b", "a-b", "%F0%9F%98%80", "known%20"];
    const answers = await Promise.all(targets.map((key) => get(`/try/${key}`)));
    expect(answers.map(({ status }) => status)).to.deep.equal(targets.map(() => 404));
    expect(new Set(answers.map(({ text }) => text))).to.have.property("size", 1);
    expect(answers[0]?.text).not.to.include("<form").and.not.include("there is no such key");
  });

  it("accept the form that the browser has opened", async () => {
    const { token, cookie } = await opened();
    expect(cookie).to.match(/^carillon-form=[A-Za-z0-9]{32}$/);
    const fields = { csrf_token: token, name: "Iago" };
    for (const headers of [
      {},
      { Origin: "http://carillon.test" },
      { Origin: "http://carillon.test", "Sec-Fetch-Site": "same-origin" },
      { Origin: "null", "Sec-Fetch-Site": "same-origin" },
      { Cookie: `other=1; ${cookie}; carillon-form=${"x".repeat(32)}` },
    ] as Array<Record<string, string>>) {
      const answer = await post(fields, { Cookie: cookie, ...headers });
      expect(answer.status, answer.text).to.equal(303);
      expect(answer.headers.get("location")).to.equal("/try/done");
      expect(answer.headers.get("set-cookie")).to.equal(null);
      expect(answer.text).to.equal("");
    }
    expect(taken).to.have.length(5);
    // The cookie stays, so that a second window does not invalidate the form in the first.
    const again = await get("/try/known", { Cookie: cookie });
    expect(again.headers.get("set-cookie")).to.equal(null);
    expect(again.text).to.include(token);
  });

  it("refuse forged forms with 403 and do nothing", async () => {
    const { token, cookie } = await opened();
    const other = await opened();
    const good = { csrf_token: token, name: "Iago" };
    const forged: Array<[Record<string, string>, Record<string, string>]> = [
      [good, { Cookie: cookie, Origin: "http://evil.example" }],
      [good, { Cookie: cookie, Origin: "https://carillon.test" }],
      [good, { Cookie: cookie, Origin: "http://carillon.test:81" }],
      [good, { Cookie: cookie, Origin: "http://carillon.test.evil.example" }],
      [good, { Cookie: cookie, Origin: "null" }],
      [good, { Cookie: cookie, Origin: "" }],
      [good, { Cookie: cookie, Origin: "null", "Sec-Fetch-Site": "cross-site" }],
      [good, { Cookie: cookie, "Sec-Fetch-Site": "cross-site" }],
      [good, { Cookie: cookie, Origin: "http://carillon.test", "Sec-Fetch-Site": "cross-site" }],
      [good, {}],
      [good, { Cookie: other.cookie }],
      [good, { Cookie: cookie.replace("-form", "-from") }],
      [{ name: "Iago" }, { Cookie: cookie }],
      [{ ...good, csrf_token: "" }, { Cookie: cookie }],
      [{ ...good, csrf_token: `${token}x` }, { Cookie: cookie }],
      [{ ...good, csrf_token: other.token }, { Cookie: cookie }],
      [good, { Cookie: "carillon-form=" }],
    ];
    for (const [fields, headers] of forged) {
      const answer = await post(fields, headers);
      expect(answer.status, JSON.stringify({ fields, headers })).to.equal(403);
      expect(answer.headers.get("content-type")).to.equal(pageType);
      expect(answer.text).not.to.include("<form");
    }
    expect(taken).to.deep.equal([]);
  });

  it("make no link from a forged Host", async () => {
    const { token, cookie } = await opened();
    const headers = { Cookie: cookie, "X-Forwarded-Host": "evil.example" };
    const fields = { csrf_token: token, name: "Iago" };
    expect((await post(fields, { ...headers, Origin: "http://evil.example" })).status).to.equal(
      403,
    );
    expect((await post(fields, headers)).headers.get("location")).to.equal("/try/done");
  });

  it("set a Secure cookie if the server is reached by https", async () => {
    const { headers } = await get("/try/known", {}, secure);
    expect(headers.get("set-cookie")).to.match(
      /^__Host-carillon-form=[A-Za-z0-9]{32}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const { token, cookie } = await opened(secure);
    const fields = { csrf_token: token, name: "Iago" };
    const plain = cookie.replace("__Host-", "");
    expect((await post(fields, { Cookie: cookie }, secure)).status).to.equal(303);
    expect((await post(fields, { Cookie: plain }, secure)).status).to.equal(403);
  });

  it("show refusals as pages", async () => {
    const { token, cookie } = await opened();
    const ask = (name: string) => post({ csrf_token: token, name }, { Cookie: cookie });
    const again = await ask("");
    expect(again.status).to.equal(400);
    expect(again.text).to.include("Say a name").and.include(token);
    const limited = await ask("limit");
    expect([limited.status, limited.headers.get("retry-after")]).to.deep.equal([429, "7"]);
    const large = await ask("x".repeat(16 * 1024));
    expect(large.status).to.equal(413);
    const nul = await ask("a\0b");
    expect(nul.status).to.equal(400);
    const method = await gateway.anonymous.send("PUT", "/try/known");
    expect([method.status, method.headers.get("allow")]).to.deep.equal([405, "GET, POST"]);
    for (const { headers, text } of [limited, large, nul, method]) {
      expect(headers.get("content-type")).to.equal(pageType);
      expect(headers.get("content-security-policy")).to.include("frame-ancestors 'none'");
      expect(text).to.match(/<h1>/);
    }
    const options = await gateway.anonymous.send("OPTIONS", "/try/known");
    expect([options.status, options.headers.get("access-control-allow-origin")]).to.deep.equal([
      204,
      null,
    ]);
    expect(taken).to.deep.equal([]);
  });

  it("log neither key nor token", async () => {
    const { token, cookie } = await opened();
    await post({ csrf_token: token, name: "Iago" }, { Cookie: cookie });
    expect(gateway.logText()).to.include("/try/{key}").and.not.include("/try/known");
    expect(gateway.logText()).not.to.include(token);
  });
});
