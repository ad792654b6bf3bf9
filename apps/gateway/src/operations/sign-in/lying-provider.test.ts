import { request } from "node:http";

import {
  type Answer,
  beginSigningIn,
  comeBack,
  type Gateway,
  type Lies,
  organization,
  signInAs,
  startGateway,
  startScriptedProvider,
  type TestAccount,
  unique,
  user,
  waitFor,
  useSignInScene,
} from "@carillon/testkit";
import { expect } from "chai";

const otp = "0".repeat(64);

describe("An identity provider", () => {
  const scene = useSignInScene();
  const { db, gateway, provider } = scene;
  let ann: TestAccount;
  const claims = { sub: "ann", email: "", email_verified: true, name: "Ann" };
  before(async () => {
    ann = await user(db, scene.org.realm);
    claims.email = ann.deliveryEmail;
  });

  const stored = async () => ({
    attempts: await db.prisma.ssoAttempt.count(),
    links: await db.prisma.accountLink.count(),
  });
  const signIn = (lies?: Lies, at = gateway) =>
    signInAs(at, provider, claims, { query: { mobile_flow_otp: otp }, ...(lies && { lies }) });

  function expectNobody(answer: Answer, status: number, text: RegExp): void {
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.text).to.match(text);
    expect(answer.headers.get("location")).to.equal(null);
    expect(answer.text).not.to.include(ann.apiKey);
  }

  describe("that lies", () => {
    const now = Math.floor(Date.now() / 1000);
    const refused: Array<[what: string, lies: Lies]> = [
      ["another issuer", { claims: { iss: "http://127.0.0.1/other" } }],
      ["an issuer with another path", { claims: { iss: "http://127.0.0.1/team/" } }],
      ["no issuer", { claims: { iss: undefined } }],
      ["another audience", { claims: { aud: "another-client" } }],
      ["many audiences without this one", { claims: { aud: ["a", "b"] } }],
      ["another authorized party", { claims: { aud: ["carillon", "b"], azp: "b" } }],
      ["another nonce", { claims: { nonce: "replayed" } }],
      ["no nonce", { claims: { nonce: undefined } }],
      ["an expired token", { claims: { iat: now - 900, exp: now - 600 } }],
      ["a token without an end", { claims: { exp: undefined } }],
      ["a token that is valid later", { claims: { nbf: now + 600 } }],
      ["no signature", { signature: "none" }],
      ["a signature with the client's secret", { signature: "HS256" }],
      ["a signature with another key", { signature: "otherKey" }],
      ["a signature of other claims", { signature: "broken" }],
      ["no subject", { claims: { sub: undefined } }],
      ["an empty subject", { claims: { sub: "" } }],
      ["a subject that is a number", { claims: { sub: 7 } }],
      ["a subject that cannot be stored", { claims: { sub: "a\0b" } }],
      ["a subject that is too long", { claims: { sub: "x".repeat(256) } }],
      [
        "an answer without an ID token",
        {
          answer: (response) => {
            response.setHeader("Content-Type", "application/json");
            response.end(JSON.stringify({ access_token: "a", token_type: "Bearer" }));
          },
        },
      ],
      [
        "an answer that is a page",
        {
          answer: (response) => {
            response.setHeader("Content-Type", "text/html");
            response.end("<p>Hello");
          },
        },
      ],
      [
        "an answer that leads elsewhere",
        {
          answer: (response) => {
            response.writeHead(307, { Location: `${provider.issuer}/token` });
            response.end();
          },
        },
      ],
    ];
    for (const [what, lies] of refused)
      it(`signs nobody in with ${what}`, async () => {
        const before = await stored();
        expectNobody(await signIn(lies), 400, /did not confirm who you are/);
        expect(await stored()).to.deep.equal(before);
      });

    it("signs nobody in by naming the issuer of another one in its answer to the browser", async () => {
      const begun = await beginSigningIn(gateway);
      const code = provider.grant(begun.asked, claims);
      const answer = await comeBack(gateway, begun, { code, iss: "https://other.example.com" });
      expectNobody(answer, 400, /did not confirm/);
    });

    it("signs nobody in by saying that the person did not want to", async () => {
      const begun = await beginSigningIn(gateway);
      const answer = await comeBack(gateway, begun, {
        error: "access_denied",
        error_description: "<script>alert(1)</script>",
      });
      expectNobody(answer, 400, /did not confirm/);
      expect(answer.text).not.to.include("<script");
    });

    for (const [what, discovery] of [
      ["another issuer", { issuer: "http://127.0.0.1/other" }],
      ["no endpoint", { token_endpoint: undefined }],
      ["an endpoint without TLS elsewhere", { token_endpoint: "http://id.example.com/token" }],
      ["an endpoint that is a script", { authorization_endpoint: "javascript:alert(1)" }],
      ["keys in a file", { jwks_uri: "file:///etc/passwd" }],
      ["algorithms that need no key", { id_token_signing_alg_values_supported: ["none", "HS256"] }],
    ] as const)
      it(`is not used if it describes itself with ${what}`, async () => {
        const lying = await startScriptedProvider();
        lying.script.discovery = discovery;
        const own = await startGateway(db, { site: { identityProvider: lying.config } });
        const before = await stored();
        try {
          expectNobody((await beginSigningIn(own)).answer, 503, /does not answer as it should/);
          expect(await stored()).to.deep.equal(before);
          // It is asked again, and may have been mended.
          lying.script.discovery = {};
          expect((await beginSigningIn(own)).answer.status).to.equal(302);
        } finally {
          await own.close();
          await lying.close();
        }
      });
  });

  describe("that is away", () => {
    it("answers with a page and 503, and the gateway starts nevertheless", async () => {
      const away = await startScriptedProvider();
      const own = await startGateway(db, { site: { identityProvider: away.config } });
      await away.close();
      try {
        expectNobody((await beginSigningIn(own)).answer, 503, /does not answer/);
      } finally {
        await own.close();
      }
    });

    for (const path of ["/token", "/keys"])
      it(`answers with a page and 503 when ${path} fails, and uses up the attempt`, async () => {
        const own = await startScriptedProvider();
        const at = await startGateway(db, { site: { identityProvider: own.config } });
        try {
          own.script.answers = {
            [path]: (response) => {
              response.statusCode = 502;
              response.end();
            },
          };
          const begun = await beginSigningIn(at);
          const code = own.grant(begun.asked, claims);
          expectNobody(await comeBack(at, begun, { code }), 503, /does not answer/);
          own.script.answers = {};
          expectNobody(await comeBack(at, begun, { code }), 400, /is over/);
        } finally {
          await at.close();
          await own.close();
        }
      });
  });

  describe("that is slow", () => {
    for (const path of ["/.well-known/openid-configuration", "/token", "/keys"])
      it(`is given up when ${path} does not answer, and no database connection is held meanwhile`, async () => {
        const own = await startScriptedProvider();
        const at = await startGateway(db, {
          site: { identityProvider: own.config },
          // Long enough for a busy machine to reach the path.
          identityMs: 1_000,
        });
        try {
          // At its first request a gateway starts reading the addresses of moved organizations, and does not wait for them.
          await fetch(`${at.url}/api/v1/server_settings`);
          await waitFor(() => db.pool.totalCount === db.pool.idleCount, {
            what: "the addresses are read",
          });
          let busy: unknown;
          own.script.answers = {
            [path]: () => {
              busy = db.pool.totalCount - db.pool.idleCount;
            },
          };
          const begun = await beginSigningIn(at);
          if (path.startsWith("/.well-known")) expectNobody(begun.answer, 503, /does not answer/);
          else {
            const code = own.grant(begun.asked, claims);
            expectNobody(await comeBack(at, begun, { code }), 503, /does not answer/);
          }
          expect(busy, "connections in use while the provider is asked").to.equal(0);
        } finally {
          await at.close();
          await own.close();
        }
      });

    it("does not keep others from beginning while it exchanges many codes", async () => {
      const own = await startScriptedProvider();
      const at = await startGateway(db, { site: { identityProvider: own.config } });
      const aborted = new AbortController();
      try {
        const begun = await Promise.all(Array.from({ length: 40 }, () => beginSigningIn(at)));
        let asked = 0;
        own.script.answers = { "/token": () => asked++ };
        const waiting = begun.map((one) =>
          at.anonymous
            .send("GET", `/complete/oidc/?state=${one.asked.get("state")}&code=x`, {
              headers: { Cookie: one.cookie },
              signal: aborted.signal,
            })
            .catch(() => undefined),
        );
        await waitFor(() => asked === 32, { what: "32 codes are exchanged" });
        expect((await beginSigningIn(at)).answer.status).to.equal(302);
        expect(asked).to.equal(32);
        aborted.abort();
        await Promise.all(waiting);
        // Exchanges end with their requests, and let others go on.
        own.script.answers = {};
        const next = await beginSigningIn(at, { mobile_flow_otp: otp });
        const code = own.grant(next.asked, claims);
        const answer = await comeBack(at, next, { code });
        expect(answer.status, answer.text).to.be.oneOf([302, 403]);
      } finally {
        await at.close();
        await own.close();
      }
    });

    it("is given up when it sends its answer byte by byte", async () => {
      const own = await startScriptedProvider();
      const at = await startGateway(db, {
        site: { identityProvider: own.config },
        identityMs: 200,
      });
      let drip: NodeJS.Timeout | undefined;
      try {
        const begun = await beginSigningIn(at);
        const code = own.grant(begun.asked, claims, {
          answer: (response) => {
            response.setHeader("Content-Type", "application/json");
            drip = setInterval(() => response.write(" "), 5);
          },
        });
        expectNobody(await comeBack(at, begun, { code }), 503, /does not answer/);
      } finally {
        clearInterval(drip);
        await at.close();
        await own.close();
      }
    });
  });

  it("whose answer is huge is not read to the end", async () => {
    let ended = false;
    let written = 0;
    const answer = await signIn({
      answer: (response) => {
        response.setHeader("Content-Type", "application/json");
        const more = () => {
          written += 65_536;
          if (response.write(" ".repeat(65_536))) setImmediate(more);
          else response.once("drain", more);
        };
        response.once("close", () => (ended = true));
        more();
      },
    });
    expectNobody(answer, 503, /does not answer/);
    await waitFor(() => ended, { what: "the gateway closes the connection" });
    expect(written).to.be.lessThan(100 * 1024 * 1024);
  });

  it("may change its key", async () => {
    const own = await startScriptedProvider();
    const gateways = [1, 2].map(() => startGateway(db, { site: { identityProvider: own.config } }));
    const [one, two] = (await Promise.all(gateways)) as [Gateway, Gateway];
    const known = {
      ...claims,
      sub: unique("subject"),
      email: (await user(db, scene.org.realm)).deliveryEmail,
    };
    const query = { mobile_flow_otp: otp };
    try {
      expect((await signInAs(one, own, known, { query })).status).to.equal(302);
      // Keys are asked for again when they are a minute old, and at once by another gateway.
      own.rotateKey();
      expect((await signInAs(two, own, known, { query })).status).to.equal(302);
      expectNobody(await signInAs(one, own, known, { query }), 400, /did not confirm/);
    } finally {
      await Promise.all([one.close(), two.close(), own.close()]);
    }
  });

  it("is asked for its description once by concurrent sign-ins, and not again", async () => {
    const own = await startScriptedProvider();
    const at = await startGateway(db, { site: { identityProvider: own.config } });
    try {
      await Promise.all(Array.from({ length: 8 }, () => beginSigningIn(at)));
      await beginSigningIn(at);
      expect(own.requests).to.deep.equal(["/.well-known/openid-configuration"]);
    } finally {
      await at.close();
      await own.close();
    }
  });

  describe("to which a browser returns in another way than it left", () => {
    const over = /This sign-in is over/;

    it("signs nobody in twice with one answer", async () => {
      const begun = await beginSigningIn(gateway, { mobile_flow_otp: otp });
      const code = provider.grant(begun.asked, claims);
      expect((await comeBack(gateway, begun, { code })).status).to.equal(302);
      expectNobody(await comeBack(gateway, begun, { code }), 400, over);
      const two = await beginSigningIn(gateway, { mobile_flow_otp: otp });
      const other = provider.grant(two.asked, claims);
      const answers = await Promise.all(
        [1, 2, 3].map(() => comeBack(gateway, two, { code: other })),
      );
      expect(answers.map(({ status }) => status)).to.have.members([302, 400, 400]);
    });

    it("signs nobody in without the cookie, or with that of another browser", async () => {
      const other = await beginSigningIn(gateway);
      const name = other.cookie.split("=")[0] ?? "";
      for (const cookie of ["", other.cookie, `${name}=`, `${name}=${"x".repeat(32)}`, "a=b"]) {
        const begun = await beginSigningIn(gateway);
        const code = provider.grant(begun.asked, claims);
        expectNobody(await comeBack(gateway, begun, { code }, cookie), 400, over);
        // The refused answer has used up the attempt.
        expectNobody(await comeBack(gateway, begun, { code }), 400, over);
      }
    });

    it("signs the person in in two windows of one browser", async () => {
      const one = await beginSigningIn(gateway, { mobile_flow_otp: otp });
      const two = await beginSigningIn(gateway, { mobile_flow_otp: otp }, { Cookie: one.cookie });
      expect(two.cookie).to.equal(one.cookie);
      for (const begun of [one, two]) {
        const code = provider.grant(begun.asked, claims);
        expect((await comeBack(gateway, begun, { code })).status).to.equal(302);
      }
    });

    it("signs the person in within ten minutes", async () => {
      const begun = await beginSigningIn(gateway, { mobile_flow_otp: otp });
      const code = provider.grant(begun.asked, claims);
      await db.rows("UPDATE sso_attempts SET created_at = now() - interval '9 min'");
      expect((await comeBack(gateway, begun, { code })).status).to.equal(302);
    });

    it("signs nobody in after ten minutes, or with another state", async () => {
      const begun = await beginSigningIn(gateway);
      const code = provider.grant(begun.asked, claims);
      for (const state of ["", "x", `${begun.asked.get("state")}x`, "\0", "%00", "'; DROP"])
        expectNobody(await comeBack(gateway, begun, { code, state }), 400, over);
      await db.rows("UPDATE sso_attempts SET created_at = now() - interval '601 s'");
      expectNobody(await comeBack(gateway, begun, { code }), 400, over);
    });

    it("signs nobody in with the code of another attempt", async () => {
      const [one, two] = [await beginSigningIn(gateway), await beginSigningIn(gateway)];
      const code = provider.grant(one.asked, claims);
      expectNobody(await comeBack(gateway, two, { code }), 400, /did not confirm/);
    });

    it("signs nobody in to another organization", async () => {
      const other = await organization(db, { subdomain: unique("other") });
      const begun = await beginSigningIn(gateway, { mobile_flow_otp: otp });
      const code = provider.grant(begun.asked, claims);
      const query = new URLSearchParams({ state: begun.asked.get("state") ?? "", code }).toString();
      const shown = await pageAt(`${gateway.url}/complete/oidc/?${query}`, {
        host: `${other.realm.subdomain}.carillon.test`,
        cookie: begun.cookie,
      });
      expect(shown).to.match(/^400 .*This sign-in is over/s);
      expectNobody(await comeBack(gateway, begun, { code }), 400, over);
    });

    it("signs the person in at another gateway", async () => {
      const other = await startGateway(db, { site: { identityProvider: provider.config } });
      try {
        const begun = await beginSigningIn(gateway, { mobile_flow_otp: otp });
        const code = provider.grant(begun.asked, claims);
        expect((await comeBack(other, begun, { code })).status).to.equal(302);
      } finally {
        await other.close();
      }
    });
  });
});

/** Returns status and text of a page; `fetch` cannot send a Host header that differs from the URL. */
function pageAt(url: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      let text = `${response.statusCode} `;
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  });
}
