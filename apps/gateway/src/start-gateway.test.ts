import { metricsOf, readEnvironment, Shutdown, StartupError } from "@carillon/kit";
import {
  captureLog,
  createTestDatabase,
  expositionFaults,
  metricNames,
  organization,
  reservePort,
  testSecretKey,
  type LogLine,
  type TestDatabase,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

import { startGateway } from "./start-gateway.ts";
import { readWebClient } from "./web-client/files.ts";

describe("a started gateway", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  /** Runs one with these variables for as long as `use` takes. */
  async function running(
    variables: Record<string, string>,
    use: (url: string, lines: readonly LogLine[]) => Promise<void>,
  ): Promise<void> {
    const { log, lines } = captureLog();
    const shutdown = new Shutdown(log);
    const env = readEnvironment({
      DATABASE_URL: database.url,
      SECRET_KEY: testSecretKey,
      PORT: "0",
      ...variables,
    });
    try {
      const port = await startGateway(env, log, shutdown);
      await use(`http://127.0.0.1:${port}/api/v1`, lines);
    } finally {
      await shutdown.run();
    }
  }

  it("reports to clients whether it sends push notifications", async () => {
    await organization(await database.connect());
    const pushes = async (url: string) => {
      const settings = await (await fetch(`${url}/server_settings`)).json();
      return (settings as Record<string, unknown>)["push_notifications_enabled"];
    };
    await running({}, async (url) => {
      expect(await pushes(url)).to.equal(false);
    });
    const bouncer = {
      PUSH_BOUNCER_URL: "https://push.example.com",
      PUSH_SERVER_ID: "9f6e1a7c-2b8d-4f5e-8a3b-6c1d0e9f7a42",
      PUSH_SERVER_KEY: "a-key-of-the-server",
    };
    await running(bouncer, async (url) => {
      expect(await pushes(url)).to.equal(true);
    });
  });

  it("offers sign-in by OpenID Connect while the provider is away, and does not start on half of its variables", async () => {
    const variables = {
      OIDC_ISSUER: "http://127.0.0.1:1/nobody",
      OIDC_CLIENT_ID: "carillon",
      OIDC_CLIENT_SECRET: "the secret of the client",
      OIDC_DISPLAY_NAME: "Team",
    };
    await running(variables, async (url, lines) => {
      const settings = await (await fetch(`${url}/server_settings`)).json();
      expect(settings).to.have.nested.property("external_authentication_methods[0].name");
      const begun = await fetch(url.replace("/api/v1", "/accounts/login/social/oidc"));
      expect([begun.status, await begun.text()].join()).to.match(/^503,.*Team does not answer/s);
      expect(JSON.stringify(lines)).to.include("identity provider unavailable");
    });
    const { OIDC_CLIENT_SECRET: _, ...half } = variables;
    const failure = await running(half, async () => {}).catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(StartupError)
      .with.property("message")
      .that.matches(/^OIDC_CLIENT_SECRET is not set/);
  });

  it("serves the built browser client, and with WEB_CLIENT=off nothing in its place", async () => {
    const isBuilt = (await readWebClient()) !== undefined;
    const page = async (url: string) => (await fetch(url.replace("/api/v1", "/"))).status;
    await running({}, async (url, lines) => {
      expect(await page(url)).to.equal(isBuilt ? 200 : 404);
      const warned = JSON.stringify(lines).includes("browser client is not built");
      expect(warned).to.equal(!isBuilt);
    });
    await running({ WEB_CLIENT: "off" }, async (url, lines) => {
      expect(await page(url)).to.equal(404);
      expect(JSON.stringify(lines)).not.to.include("browser client");
    });
  });

  it("shows its metrics, as Prometheus reads them", async () => {
    const port = await reservePort();
    await running({ METRICS_PORT: String(port) }, async (url) => {
      await fetch(`${url}/server_settings`);
      for (const method of ["PROPFIND", "MKCOL", "LOCK", "SEARCH"])
        await fetch(`${url}/server_settings`, { method });
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      expect(expositionFaults(text)).to.deep.equal([]);
      expect(metricNames(text)).to.include.members(metricsOf("gateway"));
      expect(text).to.match(/^carillon_http_requests_total\{.*server_settings",status="200"\} 1$/m);
      expect(text, "methods that nothing has").to.match(
        /^carillon_http_requests_total\{operation="other [^"]*server_settings",status="405"\} 4$/m,
      );
      expect(text).to.not.include("PROPFIND");
    });
  });

  it("logs the client's address: that of the peer, or the one that a trusted proxy names", async () => {
    const addressIn = (variables: Record<string, string>, forwarded: string) =>
      new Promise<unknown>((resolve, reject) => {
        running(variables, async (url, lines) => {
          const headers = { "X-Forwarded-For": forwarded };
          await fetch(`${url}/server_settings`, { headers });
          const line = await waitFor(() => lines.find(({ msg }) => msg === "request"), {
            what: "the request is logged",
          });
          resolve(line["address"]);
        }).catch(reject);
      });
    expect(await addressIn({}, "203.0.113.9")).to.equal("127.0.0.1");
    const trusting = { TRUSTED_PROXIES: "loopback" };
    expect(await addressIn(trusting, "6.6.6.6, 203.0.113.9")).to.equal("203.0.113.9");
    expect(await addressIn(trusting, '"}\u00a0')).to.equal("127.0.0.1");
  });

  it("reports what its push bouncer does not support", async () => {
    const half = { PUSH_BOUNCER_URL: "https://push.example.com", PUSH_SERVER_KEY: "key" };
    const refusal = await running(half, () => Promise.resolve()).catch((error: Error) => error);
    expect(refusal?.message).to.match(/^PUSH_SERVER_ID is not set/);
  });
});
