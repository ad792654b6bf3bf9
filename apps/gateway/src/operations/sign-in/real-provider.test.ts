import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { roles } from "@carillon/contract";
import type { IdentityProvider } from "@carillon/model";
import {
  type Answer,
  beginSigningIn,
  comeBack,
  type Gateway,
  organization,
  reload,
  startGateway,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  user,
} from "@carillon/testkit";
import { expect } from "chai";
import Provider, { type JWK } from "oidc-provider";

const clientSecret = "what the provider and Carillon share";

describe("Signing in at oidc-provider", () => {
  const db = useDatabase();
  let org: TestOrganization;
  let ann: TestAccount;
  let server: Server;
  let gateway: Gateway;
  let config: IdentityProvider;
  let returnAddress = "";

  before("start a provider and a gateway", async () => {
    org = await organization(db);
    ann = await user(db, org.realm);
    returnAddress = `http://${org.realm.subdomain}.carillon.test/complete/oidc/`;
    server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    serve(server, issuer, returnAddress, () => ann);
    config = {
      issuer,
      clientId: "carillon",
      clientSecret,
      displayName: "Team",
      displayIcon: null,
      scopes: "openid email profile groups",
      autoSignup: "rules",
      groupsClaim: "groups",
      roles: [{ role: roles.moderator, value: "mods" }],
      groups: [],
      subdomain: undefined,
    };
    gateway = await startGateway(db, { site: { identityProvider: config } });
  });
  after("stop both", async () => {
    await gateway.close();
    server.closeAllConnections();
    server.close();
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
    const site = { identityProvider: { ...config, clientSecret: "another secret" } };
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

/** Serves an OpenID provider at which everybody is signed in as one person, without being asked. */
function serve(
  server: Server,
  issuer: string,
  redirectUri: string,
  person: () => TestAccount,
): void {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = { ...privateKey.export({ format: "jwk" }), use: "sig" } as JWK;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "carillon",
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name"],
      groups: ["groups"],
    },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: person().deliveryEmail,
        email_verified: true,
        name: "Ann",
        groups: ["mods"],
      }),
    }),
    jwks: { keys: [key] },
    cookies: { keys: ["signs cookies"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 60,
      IdToken: 60,
      Interaction: 60,
      Session: 60,
    },
  });
  const rest = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) {
      void rest(request, response);
      return;
    }
    void (async () => {
      const { prompt, params, session } = await provider.interactionDetails(request, response);
      if (prompt.name === "login") {
        const result = { login: { accountId: "ann" } };
        await provider.interactionFinished(request, response, result);
        return;
      }
      const grant = new provider.Grant({
        accountId: session?.accountId ?? "",
        clientId: String(params["client_id"]),
      });
      grant.addOIDCScope(String(params["scope"]));
      const result = { consent: { grantId: await grant.save() } };
      await provider.interactionFinished(request, response, result);
    })();
  });
}
