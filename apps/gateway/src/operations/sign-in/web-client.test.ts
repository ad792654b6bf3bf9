import {
  type Answer,
  beginSigningIn,
  changeOrganization,
  comeBack,
  pageVisitor,
  refusedByPage,
  signInAs,
  unique,
  user,
  useSignInScene,
} from "@carillon/testkit";
import { expect } from "chai";

const otp = "0123456789abcdefABCDEF0123456789".repeat(2);

describe("Signing in to the browser client at an identity provider", () => {
  const scene = useSignInScene({ webClient: true });
  const { db, gateway, provider } = scene;
  const address = () => `http://${scene.org.realm.subdomain}.carillon.test`;
  const query = { web_client_otp: otp };

  /** Reads what the browser client gets, and decrypts the key. */
  function handedOver({ headers, text }: Answer) {
    const [before, fragment = ""] = (headers.get("location") ?? text).split("#signed-in?");
    expect(before).to.equal(`${address()}/`);
    const { otp_encrypted_api_key: encrypted = "", ...rest }: Record<string, string> =
      Object.fromEntries(new URLSearchParams(fragment));
    const pad = Buffer.from(otp, "hex");
    const bytes = Buffer.from(encrypted, "hex").map((byte, i) => byte ^ (pad[i] ?? 0));
    return { ...rest, key: Buffer.from(bytes).toString("latin1") };
  }

  it("hands it the key in the fragment of its address, encrypted with its one-time pad", async () => {
    const ann = await user(db, scene.org.realm);
    const claims = { sub: unique("subject"), email: ann.deliveryEmail, email_verified: true };
    const answer = await signInAs(gateway, provider, claims, { query });
    expect(answer.status).to.equal(302);
    expect(answer.headers.get("location")).not.to.include(ann.apiKey);
    expect(answer.headers.get("cache-control")).to.equal("no-store");
    expect(handedOver(answer)).to.deep.equal({
      key: ann.apiKey,
      email: ann.deliveryEmail,
      user_id: String(ann.id),
      realm: address(),
    });
    expect(gateway.logText()).not.to.include(otp);
  });

  it("goes to no address that the request names", async () => {
    const ann = await user(db, scene.org.realm);
    const claims = { sub: unique("subject"), email: ann.deliveryEmail, email_verified: true };
    const begun = await beginSigningIn(
      gateway,
      { ...query, next: "https://evil.example/", redirect_to: "//evil.example" },
      { "X-Forwarded-Host": "evil.example", Origin: "https://evil.example" },
    );
    const code = provider.grant(begun.asked, claims);
    const answer = await comeBack(gateway, begun, { code, next: "https://evil.example/" });
    expect(handedOver(answer)["key"]).to.equal(ann.apiKey);
  });

  it("hands it the key of an account that had to be named first", async () => {
    await changeOrganization(db, scene.org.realm, { inviteRequired: false });
    const visitor = pageVisitor(gateway.anonymous);
    const path = `/accounts/login/social/oidc?${new URLSearchParams(query).toString()}`;
    const begun = await visitor.open(path);
    const asked = new URL(begun.headers.get("location") ?? "").searchParams;
    const email = `${unique("new")}@example.com`;
    const code = provider.grant(asked, { sub: unique("subject"), email, email_verified: true });
    const back = new URLSearchParams({ state: asked.get("state") ?? "", code });
    const form = await visitor.open(`/complete/oidc/?${back.toString()}`);
    expect(form.status, form.text).to.equal(200);
    const wrong = await visitor.send(form, "/complete/oidc/", { full_name: "" });
    refusedByPage(wrong, 400);
    const named = await visitor.send(wrong, "/complete/oidc/", { full_name: unique("Newcomer") });
    expect(named.status, named.text).to.equal(303);
    const account = await db.prisma.user.findFirstOrThrow({ where: { deliveryEmail: email } });
    expect(handedOver(named)).to.include({ email, user_id: String(account.id) });
  });

  for (const refused of [
    { web_client_otp: "" },
    { web_client_otp: otp.slice(1) },
    { web_client_otp: `${otp.slice(1)}g` },
    { web_client_otp: otp, mobile_flow_otp: otp },
    { web_client_otp: otp, desktop_flow_otp: otp },
  ])
    it(`refuses ${JSON.stringify(refused).slice(0, 60)}`, async () => {
      const { answer } = await beginSigningIn(gateway, refused);
      refusedByPage(answer, 400);
      expect(answer.headers.get("location")).to.equal(null);
    });

  it("leads from the page of a browser without the client to the client", async () => {
    const ann = await user(db, scene.org.realm);
    const claims = { sub: unique("subject"), email: ann.deliveryEmail, email_verified: true };
    const { text } = await signInAs(gateway, provider, claims);
    expect(text).to.include(`<a href="${address()}/">`);
    for (const path of ["/joined", "/accounts/password/reset/done"]) {
      const page = await gateway.anonymous.send("GET", path);
      expect(page.text, path).to.include(`<a href="${address()}/">`);
    }
  });
});
