import {
  changeOrganization,
  changesOf,
  linkIn,
  observed,
  organization,
  pageVisitor,
  refusedByPage,
  sentMails,
  startGateway,
  startScriptedProvider,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const path = "/register";
const password = "four quiet herons drink";

describe("Sign-up", () => {
  const scene = useScene({ subdomain: "" });
  const { db } = scene;
  const visitor = (headers = {}) => pageVisitor(scene.gateway.anonymous, headers);
  const ask = (email: string, headers = {}) => visitor(headers).submit(path, { email });
  const setRules = (row: Parameters<typeof changeOrganization>[2]) =>
    changeOrganization(db, scene.org.realm, row);
  before(() => setRules({ inviteRequired: false }));

  async function linkFor(email: string): Promise<string> {
    expect((await ask(email)).status).to.equal(303);
    const link = linkIn((await sentMails(db)).find(({ to }) => to === email));
    expect(link).to.match(/^http:\/\/carillon\.test\/join\/[A-Za-z0-9]{32}\/$/);
    return new URL(link).pathname;
  }

  it("leads by a mailed link to an account of a member", async () => {
    const email = "new1@carillon.test";
    const sent = await ask(email);
    expect(sent.headers.get("location")).to.equal(`${path}/sent`);
    expect((await visitor().open(`${path}/sent`)).text).to.include("Check your e-mail");
    await sentMails(db);
    const link = await linkFor(email);
    const joined = await visitor().submit(link, { full_name: "Nell New", password });
    expect(joined.status, joined.text).to.equal(303);
    const [row] = await db.rows("SELECT role, full_name FROM users WHERE delivery_email = $1", [
      email,
    ]);
    expect(row).to.deep.equal({ role: 400, full_name: "Nell New" });
    refusedByPage(await visitor().open(link), 404);
  });

  it("answers alike for every address, with the same statements; only the mail tells", async () => {
    const [me, gone] = [
      await user(db, scene.org.realm),
      await user(db, scene.org.realm, { isActive: false }),
    ];
    const other = await organization(db);
    const addresses = [
      me.deliveryEmail,
      me.deliveryEmail.toUpperCase(),
      gone.deliveryEmail,
      other.member.deliveryEmail,
      "new2@carillon.test",
      "x@mailinator.com",
    ];
    const seen = new Set<string>();
    for (const email of addresses) seen.add(await observed(db, () => ask(email)));
    expect([...seen]).to.have.length(1);
    const sent = await sentMails(db);
    expect(sent.map(({ to }) => to)).to.deep.equal(addresses.slice(0, 5));
    for (const [i, { text }] of sent.entries())
      expect(/\/join\//.test(text), addresses[i]).to.equal(i >= 3);
  });

  it("offers the identity provider, also to invited people", async () => {
    const provider = await startScriptedProvider();
    const own = await startGateway(db, { site: { identityProvider: provider.config } });
    try {
      const link = /<a href="\/accounts\/login\/social\/oidc">Continue with Team &lt;ID&gt;<\/a>/;
      expect((await pageVisitor(own.anonymous).open(path)).text).to.match(link);
      await setRules({ inviteRequired: true });
      expect((await pageVisitor(own.anonymous).open(path)).text).to.match(link);
      await setRules({ oidcAuthEnabled: false });
      expect((await pageVisitor(own.anonymous).open(path)).text).not.to.match(/social/);
    } finally {
      await setRules({ inviteRequired: false, oidcAuthEnabled: true });
      await own.close();
      await provider.close();
    }
  });

  it("has no form where people need an invitation, and refuses to send one", async () => {
    const open = await visitor().open(path);
    expect(open.text).to.include('<form method="post"');
    await setRules({ inviteRequired: true });
    try {
      const page = await visitor().open(path);
      expect(page.status).to.equal(200);
      expect(page.text).to.include("needs an invitation").and.not.include("<form");
      const { result, tables } = await changesOf(db, () =>
        visitor({ Cookie: open.headers.getSetCookie()[0]?.split(";")[0] ?? "" }).send(open, path, {
          email: "new3@carillon.test",
        }),
      );
      refusedByPage(result, 403);
      expect(tables).to.deep.equal([]);
    } finally {
      await setRules({ inviteRequired: false });
    }
  });

  it("mails no link to an address that is not allowed, and names the domains that are", async () => {
    await setRules({ emailsRestrictedToDomains: true });
    await db.rows(
      "INSERT INTO realm_domains (realm_id, domain, allow_subdomains) VALUES ($1, 'acme.example', false)",
      [scene.org.realm.id],
    );
    try {
      expect((await visitor().open(path)).text).to.include("acme.example");
      expect((await ask("a@elsewhere.example")).status).to.equal(303);
      expect((await ask("a@acme.example")).status).to.equal(303);
      expect((await sentMails(db)).map(({ to }) => to)).to.deep.equal(["a@acme.example"]);
    } finally {
      await setRules({ emailsRestrictedToDomains: false });
    }
  });

  it("stops working when the organization needs invitations meanwhile, or is deactivated", async () => {
    const link = await linkFor("new4@carillon.test");
    for (const row of [{ inviteRequired: true }, { deactivated: true }]) {
      await setRules(row);
      try {
        refusedByPage(await visitor().open(link), 404);
      } finally {
        await setRules({ inviteRequired: false, deactivated: false });
      }
    }
    expect((await visitor().open(link)).status).to.equal(200);
  });

  it("is not there for a deactivated organization", async () => {
    const open = await visitor().open(path);
    await setRules({ deactivated: true });
    try {
      refusedByPage(await visitor().open(path), 404);
      const sent = await visitor({
        Cookie: open.headers.getSetCookie()[0]?.split(";")[0] ?? "",
      }).send(open, path, { email: "new5@carillon.test" });
      refusedByPage(sent, 404);
    } finally {
      await setRules({ deactivated: false });
    }
  });

  it("refuses forged forms, and ignores what is no address, with the usual answer", async () => {
    const refused = await changesOf(db, async () => {
      const email = "new6@carillon.test";
      refusedByPage(await ask(email, { Origin: "http://evil.example" }), 403);
      refusedByPage(await ask(email, { "Sec-Fetch-Site": "cross-site" }), 403);
      refusedByPage(await scene.gateway.anonymous.post(path, { email }), 403);
      for (const text of ["", "nonsense", "a@b@c", "<b>@carillon.test", "x".repeat(9_000)]) {
        const answer = await ask(text);
        expect([answer.status, answer.headers.get("location")]).to.deep.equal([
          303,
          `${path}/sent`,
        ]);
      }
      refusedByPage(await ask("a\0@carillon.test"), 400);
    });
    expect(refused.tables).to.deep.equal([]);
  });
});
