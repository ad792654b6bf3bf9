import { roles } from "@carillon/contract";
import {
  type Answer,
  beginSigningIn,
  comeBack,
  type Gateway,
  type OpenIdProvider,
  organization,
  reload,
  startGateway,
  startOpenIdProvider,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Signing in at oidc-provider", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let ann: TestAccount;
  let provider: OpenIdProvider;
  let gateway: Gateway;
  let returnAddress = "";

  before("start a provider and a gateway", async () => {
    org = await organization(db);
    ann = await user(db, org.realm);
    returnAddress = `http://${org.realm.subdomain}.carillon.test/complete/oidc/`;
    provider = await startOpenIdProvider({
      returnAddress,
      person: {
        sub: "ann",
        email: ann.deliveryEmail,
        email_verified: true,
        name: "Ann",
        groups: ["mods"],
      },
      config: { groupsClaim: "groups", roles: [{ role: roles.moderator, value: "mods" }] },
    });
    gateway = await startGateway(db, { site: { identityProvider: provider.config } });
  });
  after("stop both", async () => {
    await gateway?.close();
    await provider?.close();
  });

  /** Follows the provider's redirects with its cookies until it sends the browser back. */
  async function signInThere(begun: { answer: Answer }): Promise<Record<string, string>> {
    const cookies = new Map<string, string>();
    let address = begun.answer.headers.get("location") ?? "";
    for (let i = 0; i < 20; i++) {
      const response = await fetch(address, {
        redirect: "manual",
        headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null)
        throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
      const next = new URL(location, address);
      if (next.href.startsWith(returnAddress)) return Object.fromEntries(next.searchParams);
      address = next.href;
    }
    throw new Error("the provider does not send the browser back");
  }

  it("links the account, and gives it the role of the provider's groups", async () => {
    const begun = await beginSigningIn(gateway, { mobile_flow_otp: "0".repeat(64) });
    const params = await signInThere(begun);
    expect(params).to.include.keys("code", "state", "iss");
    const answer = await comeBack(gateway, begun, params);
    expect(answer.status, answer.text).to.equal(302);
    const handed = new URL(answer.headers.get("location") ?? "").searchParams;
    expect(Buffer.from(handed.get("otp_encrypted_api_key") ?? "", "hex").toString()).to.equal(
      ann.apiKey,
    );
    expect(handed.get("user_id")).to.equal(String(ann.id));
    expect((await reload(db, ann)).role).to.equal(roles.moderator);
    const [link] = await db.prisma.accountLink.findMany();
    expect(link).to.include({ userId: ann.id, subject: "ann" });
  });

  it("signs nobody in with the code of another attempt, or with another client's secret", async () => {
    const [one, two] = [await beginSigningIn(gateway), await beginSigningIn(gateway)];
    const { code = "", iss = "" } = await signInThere(one);
    // The browser brings the first code back to the second attempt.
    const swapped = await comeBack(gateway, two, { code, iss });
    expect(swapped.text).to.include("did not confirm who you are");
    const site = { identityProvider: { ...provider.config, clientSecret: "another secret" } };
    const other = await startGateway(db, { site });
    try {
      const begun = await beginSigningIn(other);
      const answer = await comeBack(other, begun, await signInThere(begun));
      expect(answer.text).to.include("does not answer as it should");
      expect(other.logText())
        .to.include("does not accept this server")
        .and.not.include("another secret");
    } finally {
      await other.close();
    }
  });
});
