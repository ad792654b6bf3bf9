import { getServerSettings } from "@carillon/contract";
import {
  type Answer,
  beginSigningIn,
  bot,
  changeOrganization,
  comeBack,
  deactivateUser,
  type Gateway,
  organization,
  pageVisitor,
  realmChanging,
  sentMails,
  signInAs,
  startGateway,
  type TestAccount,
  unique,
  user,
  useSignInScene,
} from "@carillon/testkit";
import { expect } from "chai";

const otp = "0123456789abcdefABCDEF0123456789".repeat(2);

describe("Signing in at an identity provider", () => {
  const scene = useSignInScene();
  const { db, gateway, provider } = scene;

  const person = (overrides = {}) => user(db, scene.org.realm, overrides);
  const claimsOf = ({ deliveryEmail }: TestAccount, sub = unique("subject")) => ({
    sub,
    email: deliveryEmail,
    email_verified: true,
    name: "Somebody",
  });
  const byPhone = (claims: Readonly<Record<string, unknown>>, at: Gateway = gateway) =>
    signInAs(at, provider, claims, { query: { mobile_flow_otp: otp } });
  const links = (userId?: number) =>
    db.prisma.accountLink.findMany({ where: userId === undefined ? {} : { userId } });

  /** Decrypts what the phone app gets. */
  function handedOver(answer: Answer) {
    expect(answer.status, answer.text).to.equal(302);
    const url = new URL(answer.headers.get("location") ?? "");
    expect(`${url.protocol}//${url.host}`).to.equal("zulip://login");
    const { otp_encrypted_api_key: encrypted = "", ...rest }: Record<string, string> =
      Object.fromEntries(url.searchParams);
    expect(encrypted).to.match(/^[0-9a-f]{64}$/);
    const [bytes, pad] = [Buffer.from(encrypted, "hex"), Buffer.from(otp, "hex")];
    const key = Buffer.from(bytes.map((byte, i) => byte ^ (pad[i] ?? 0))).toString("latin1");
    return { ...rest, key } as Record<string, string>;
  }

  /** Checks that nobody was signed in. */
  async function refuses(answer: Answer, status: number, text: RegExp) {
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.text).to.match(text);
    expect(answer.headers.get("location")).to.equal(null);
    expect(answer.headers.get("cache-control")).to.equal("no-store");
    expect(answer.headers.get("access-control-allow-origin")).to.equal(null);
    expect(answer.headers.get("content-security-policy")).to.include("default-src 'none'");
  }

  it("is offered by GET /server_settings", async () => {
    const settings = await gateway.anonymous.succeed(getServerSettings);
    expect(settings.external_authentication_methods).to.deep.equal([
      {
        name: "oidc:main",
        display_name: "Team <ID>",
        display_icon: null,
        login_url: "/accounts/login/social/oidc",
        signup_url: "/accounts/register/social/oidc",
      },
    ]);
    expect(settings.authentication_methods).to.include({ "openid connect": true, password: true });
  });

  it("sends the browser to the provider with PKCE, state, nonce, and a cookie", async () => {
    const { answer, asked } = await beginSigningIn(gateway);
    expect(answer.status, answer.text).to.equal(302);
    expect(answer.headers.get("location")).to.match(
      new RegExp(`^${provider.issuer}/authorize\\?tenant=1&`),
    );
    const { state = "", nonce = "", code_challenge = "", ...rest } = Object.fromEntries(asked);
    expect(rest).to.deep.equal({
      tenant: "1",
      redirect_uri: `http://${scene.org.realm.subdomain}.carillon.test/complete/oidc/`,
      scope: "openid email profile",
      code_challenge_method: "S256",
      client_id: "carillon",
      response_type: "code",
    });
    for (const value of [state, nonce, code_challenge]) expect(value).to.match(/^[\w-]{32,}$/);
    expect(answer.headers.getSetCookie()).to.have.length(1);
    expect(answer.headers.getSetCookie()[0]).to.match(
      /^carillon-sign-in=\w{32}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers.get("cache-control")).to.equal("no-store");
    expect(answer.headers.get("referrer-policy")).to.equal("no-referrer");
    const again = await beginSigningIn(gateway);
    for (const name of ["state", "nonce", "code_challenge"])
      expect(again.asked.get(name)).not.to.equal(asked.get(name));
    // Neither state, nonce nor verifier can be read from the database.
    const rows = await db.rows("SELECT * FROM sso_attempts");
    expect(JSON.stringify(rows)).not.to.include(state).and.not.include(nonce);
  });

  it("sends secure cookies under https", async () => {
    const secure = await startGateway(db, {
      site: { identityProvider: provider.config, url: "https://carillon.test" },
    });
    try {
      const { answer } = await beginSigningIn(secure);
      expect(answer.headers.getSetCookie()[0]).to.match(
        /^__Host-carillon-sign-in=\w{32}; Path=\/; .*SameSite=Lax; Secure$/,
      );
    } finally {
      await secure.close();
    }
  });

  it("hands the phone app the key, encrypted with its one-time pad", async () => {
    const ann = await person();
    const handed = handedOver(await byPhone(claimsOf(ann)));
    expect(handed).to.deep.equal({
      key: ann.apiKey,
      email: ann.deliveryEmail,
      user_id: String(ann.id),
      realm: `http://${scene.org.realm.subdomain}.carillon.test`,
    });
  });

  it("ends in a browser with a page from which the zuliprc file is fetched once", async () => {
    const ann = await person();
    const visitor = pageVisitor(gateway.anonymous);
    const begun = await visitor.open("/accounts/login/social/oidc");
    const asked = new URL(begun.headers.get("location") ?? "").searchParams;
    const code = provider.grant(asked, claimsOf(ann));
    const path = `/complete/oidc/?${new URLSearchParams({ state: asked.get("state") ?? "", code }).toString()}`;
    const shown = await visitor.open(path);
    expect(shown.status, shown.text).to.equal(200);
    expect(shown.text).to.include(ann.deliveryEmail).and.not.include(ann.apiKey);
    const file = await visitor.send(shown, path);
    expect(file.status, file.text).to.equal(200);
    expect(file.text).to.include(`key=${ann.apiKey}`).and.include(`email=${ann.deliveryEmail}`);
    await refuses(await visitor.send(shown, path), 404, /does not exist/);
  });

  for (const query of [
    { mobile_flow_otp: "" },
    { mobile_flow_otp: otp.slice(1) },
    { mobile_flow_otp: `${otp}0` },
    { mobile_flow_otp: `${otp.slice(1)}g` },
    { mobile_flow_otp: "\0".repeat(64) },
    { desktop_flow_otp: otp },
    { web_client_otp: otp },
    { mobile_flow_otp: otp, desktop_flow_otp: otp },
  ])
    it(`refuses ${JSON.stringify(query).slice(0, 60)}`, async () => {
      const { answer } = await beginSigningIn(gateway, query);
      await refuses(answer, 400, /does not support/);
    });

  it("links the account of a verified address, tells it by mail, and finds it by the link afterwards", async () => {
    const ann = await person();
    await sentMails(db);
    const claims = { ...claimsOf(ann), email: ann.deliveryEmail.toUpperCase() };
    handedOver(await byPhone(claims));
    expect(await links(ann.id)).to.have.length(1);
    const linking = await sentMails(db);
    expect(linking.map(({ to, subject }) => ({ to, subject }))).to.deep.equal([
      {
        to: ann.deliveryEmail,
        subject: `Your account at ${scene.org.realm.name} can be signed in to through the identity provider`,
      },
    ]);
    // The provider's address does not count any more.
    const other = await person();
    const moved = { ...claims, email: other.deliveryEmail };
    expect(handedOver(await byPhone(moved))["user_id"]).to.equal(String(ann.id));
    const unverified = { sub: claims.sub, email: "other@example.com", email_verified: false };
    expect(handedOver(await byPhone(unverified))["user_id"]).to.equal(String(ann.id));
    expect(await links(other.id)).to.deep.equal([]);
    const sent = await sentMails(db);
    expect(sent.map(({ to, subject }) => ({ to, subject }))).to.deep.equal(
      [1, 2].map(() => ({
        to: ann.deliveryEmail,
        subject: `New sign-in to ${scene.org.realm.name}`,
      })),
    );
    expect(sent[0]?.text).to.match(
      /through the identity provider at \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    );
  });

  it("sends no mail about a sign-in to accounts that want none", async () => {
    const ann = await person({ settings: { enable_login_emails: false } });
    const claims = claimsOf(ann);
    handedOver(await byPhone(claims));
    await sentMails(db);
    handedOver(await byPhone(claims));
    expect(await sentMails(db)).to.deep.equal([]);
  });

  for (const [what, claim] of [
    ["an unverified address", { email_verified: false }],
    ["an address that says true as a text", { email_verified: "true" }],
    ["an address that says 1", { email_verified: 1 }],
    ["an address that says nothing", { email_verified: undefined }],
    ["no address", { email: undefined }],
    ["a list of addresses", { email: ["ann@carillon.test"] }],
    ["a text that is no address", { email: "ann" }],
  ] as const)
    it(`refuses ${what}, whether there is an account or not`, async () => {
      const ann = await person();
      const before = await links();
      await refuses(await byPhone({ ...claimsOf(ann), ...claim }), 403, /not confirmed/);
      const stranger = { sub: unique("subject"), email: "new@example.com", email_verified: true };
      await refuses(await byPhone({ ...stranger, ...claim }), 403, /not confirmed/);
      expect(await links()).to.deep.equal(before);
    });

  it("refuses another identity with the address of a linked account, and addresses of bots", async () => {
    const ann = await person();
    handedOver(await byPhone(claimsOf(ann)));
    await refuses(await byPhone(claimsOf(ann)), 403, /belongs to another person/);
    const robot = await bot(db, scene.org.owner);
    await refuses(await byPhone(claimsOf(robot)), 403, /belongs to another person/);
    expect(await links(robot.id)).to.deep.equal([]);
  });

  it("refuses deactivated accounts, linked or not, and those of a deactivated organization", async () => {
    const ann = await person();
    const claims = claimsOf(ann);
    handedOver(await byPhone(claims));
    await deactivateUser(db, ann);
    await refuses(await byPhone(claims), 403, /deactivated/);
    const gone = await person({ isActive: false });
    await refuses(await byPhone(claimsOf(gone)), 403, /deactivated/);
    expect(await links(gone.id)).to.deep.equal([]);

    const begun = await beginSigningIn(gateway);
    await changeOrganization(db, scene.org.realm, { deactivated: true });
    try {
      const code = provider.grant(begun.asked, claimsOf(await person()));
      await refuses(await comeBack(gateway, begun, { code }), 403, /deactivated/);
      await refuses((await beginSigningIn(gateway)).answer, 403, /deactivated/);
      const settings = await gateway.anonymous.succeed(getServerSettings);
      expect(settings.external_authentication_methods).to.deep.equal([]);
    } finally {
      await changeOrganization(db, scene.org.realm, { deactivated: false });
    }
  });

  it("answers 404 where the organization has turned it off, and where no provider is configured", async () => {
    const begun = await beginSigningIn(gateway);
    await changeOrganization(db, scene.org.realm, { oidcAuthEnabled: false });
    const without = await startGateway(db);
    try {
      const code = provider.grant(begun.asked, claimsOf(await person()));
      await refuses(await comeBack(gateway, begun, { code }), 404, /identity provider/);
      await refuses((await beginSigningIn(gateway)).answer, 404, /identity provider/);
      const settings = await gateway.anonymous.succeed(getServerSettings);
      expect(settings.external_authentication_methods).to.deep.equal([]);
      expect(settings.authentication_methods).to.include({ "openid connect": false });
      await changeOrganization(db, scene.org.realm, { oidcAuthEnabled: true });
      await refuses((await beginSigningIn(without)).answer, 404, /identity provider/);
      await refuses(await comeBack(without, begun, { code }), 404, /identity provider/);
    } finally {
      await changeOrganization(db, scene.org.realm, { oidcAuthEnabled: true });
      await without.close();
    }
  });

  it("is turned on and off by owners, in the snapshot and with an event", async () => {
    const own = await organization(db);
    const { shown: snapshot, change } = realmChanging({
      db,
      as: (account) => gateway.as(account),
    });
    const shown = async () => (await snapshot(own.guest))["realm_authentication_methods"];
    const both = { enabled: true, available: true };
    expect(await shown()).to.deep.equal({ Email: both, "OpenID Connect": both });
    const { answer, events } = await change(own.owner, {
      authentication_methods: { "OpenID Connect": true },
    });
    const now = { Email: false, "OpenID Connect": true };
    expect(answer).to.deep.equal({ authentication_methods: now });
    expect(JSON.stringify(events)).to.include('"email_auth_enabled":false');
    await change(own.owner, { authentication_methods: { Email: true } });
    expect(await shown()).to.deep.equal({
      Email: both,
      "OpenID Connect": { enabled: false, available: true },
    });
  });

  it("is offered only in the organization of OIDC_SUBDOMAIN", async () => {
    const at = (subdomain: string) =>
      startGateway(db, { site: { identityProvider: { ...provider.config, subdomain } } });
    const [elsewhere, here] = [await at("elsewhere"), await at(scene.org.realm.subdomain)];
    try {
      await refuses((await beginSigningIn(elsewhere)).answer, 404, /identity provider/);
      const settings = await elsewhere.anonymous.succeed(getServerSettings);
      expect(settings.external_authentication_methods).to.deep.equal([]);
      expect(settings.authentication_methods).not.to.have.property("openid connect");
      expect((await beginSigningIn(here)).answer.status).to.equal(302);
    } finally {
      await Promise.all([elsewhere.close(), here.close()]);
    }
  });

  it("takes claims from the user info endpoint that the ID token lacks, both about an address from one of them", async () => {
    const [ann, ben] = [await person(), await person()];
    provider.script.userInfo = { email: ann.deliveryEmail, email_verified: true };
    const fresh = await startGateway(db, { site: { identityProvider: provider.config } });
    try {
      const handed = handedOver(await byPhone({ sub: unique("subject") }, fresh));
      expect(handed["user_id"]).to.equal(String(ann.id));
      const mixed = { sub: unique("subject"), email: ben.deliveryEmail };
      provider.script.userInfo = { email_verified: true };
      await refuses(await byPhone(mixed, fresh), 403, /not confirmed/);
      // The answer must be about the same person.
      provider.script.userInfo = { ...claimsOf(ben), sub: "somebody else" };
      await refuses(await byPhone({ sub: unique("subject") }, fresh), 400, /did not confirm/);
      expect(await links(ben.id)).to.deep.equal([]);
    } finally {
      provider.script.userInfo = undefined;
      await fresh.close();
    }
  });

  it("links an account once when a person comes back in two windows at once", async () => {
    const ann = await person();
    const claims = claimsOf(ann);
    const begin = () => beginSigningIn(gateway, { mobile_flow_otp: otp });
    const begun = [await begin(), await begin()];
    const answers = await Promise.all(
      begun.map((one) => comeBack(gateway, one, { code: provider.grant(one.asked, claims) })),
    );
    for (const answer of answers) expect(handedOver(answer)["key"]).to.equal(ann.apiKey);
    expect(await links(ann.id)).to.have.length(1);
  });

  it("writes neither keys, codes, states nor tokens to the log", async () => {
    const ann = await person();
    const begun = await beginSigningIn(gateway, { mobile_flow_otp: otp });
    const code = provider.grant(begun.asked, claimsOf(ann));
    await comeBack(gateway, begun, { code });
    await comeBack(gateway, begun, { code });
    for (const secret of [
      ann.apiKey,
      `${code}"`,
      begun.asked.get("state") ?? "",
      begun.asked.get("nonce") ?? "",
      begun.cookie,
      otp,
      "eyJ",
    ])
      expect(gateway.logText()).not.to.include(secret);
  });
});
