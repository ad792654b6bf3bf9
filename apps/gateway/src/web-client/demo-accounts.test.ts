import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "@carillon/kit";
import { expect } from "chai";
import { KeptBody } from "../http/kept-body.ts";
import { startGateway, type Gateway } from "../test-support/sample-gateway.ts";
import { demoAccountsOf } from "./demo-accounts.ts";

const written = [
  { name: "owner", fullName: "Olivia", email: "olivia@example.com", password: "p1", apiKey: "k1" },
  { name: "admin", fullName: "Ada", email: "admin@carillon.test", password: "p2", apiKey: "k2" },
  { name: "bot", fullName: "Bot", email: "bot@carillon.test", password: null, apiKey: "k3" },
];
const shown = [{ name: "admin", full_name: "Ada", email: "admin@carillon.test", password: "p2" }];

describe("the demo accounts of the browser client", () => {
  let dataDir: string;
  let gateway: Gateway;
  const variables = (more: Record<string, string> = {}) => ({ DATA_DIR: dataDir, ...more });
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "carillon-demo-"));
    await mkdir(join(dataDir, "zuliprc"));
    await writeFile(join(dataDir, "zuliprc", "accounts.json"), JSON.stringify(written));
    gateway = await startGateway({
      webClient: {
        files: { page: await KeptBody.of("text/html", ""), assets: new Map() },
        serverUrl: "http://127.0.0.1:9991",
        demoAccounts: demoAccountsOf(readEnvironment(variables())),
      },
    });
  });
  after(async () => {
    await gateway?.stop();
    await rm(dataDir, { recursive: true });
  });
  const ask = (headers: Record<string, string> = {}) =>
    gateway.send("GET", "/demo_accounts", {
      as: null,
      headers: { Host: "127.0.0.1:9991", ...headers },
    });

  it("are those that npm start has made, without people and bots", async () => {
    for (const host of ["127.0.0.1:9991", "localhost:9991", "[::1]:9991", "LOCALHOST"]) {
      const { status, json, headers } = await ask({ Host: host });
      expect([status, json["accounts"]], host).to.deep.equal([200, shown]);
      expect(headers["cache-control"]).to.equal("no-store");
      expect(headers["content-type"]).to.equal("application/json");
    }
    expect((await ask({ "Sec-Fetch-Site": "same-origin" })).json["accounts"]).to.deep.equal(shown);
  });

  it("cannot be read by another site, or through a proxy", async () => {
    const answered = await ask({ Origin: "https://evil.example" });
    const names = Object.keys(answered.headers).filter((name) => name.startsWith("access-control"));
    expect(names).to.deep.equal([]);
    for (const headers of [
      { Host: "evil.example" },
      { Host: "127.0.0.1.evil.example:9991" },
      { Host: "chat.example.com" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "none" },
      { "X-Forwarded-For": "203.0.113.9" },
      { "X-Forwarded-For": "127.0.0.1" },
      { Forwarded: "for=127.0.0.1" },
      { "X-Real-IP": "127.0.0.1" },
      { "X-Forwarded-Host": "localhost" },
      { Via: "1.1 proxy" },
    ] as Record<string, string>[]) {
      // The page of a refusal is no JSON, and HEAD has no body.
      const { status } = await gateway.send("HEAD", "/demo_accounts", {
        as: null,
        headers: { Host: "127.0.0.1:9991", ...headers },
      });
      expect(status, JSON.stringify(headers)).to.equal(404);
    }
  });

  it("are served only while DEMO is on, on the loopback interface", async () => {
    const isServed = (more: Record<string, string>) =>
      demoAccountsOf(readEnvironment(variables(more))) !== undefined;
    expect(isServed({})).to.equal(true);
    expect(isServed({ HOST: "localhost", PUBLIC_URL: "http://localhost:9991" })).to.equal(true);
    expect(isServed({ HOST: "::1" })).to.equal(true);
    expect(isServed({ NODE_ENV: "production", DEMO: "on" })).to.equal(true);
    for (const more of [
      { DEMO: "off" },
      { NODE_ENV: "production" },
      { HOST: "0.0.0.0" },
      { HOST: "::" },
      { HOST: "192.168.1.7" },
      { HOST: "0.0.0.0", PUBLIC_URL: "http://127.0.0.1:9991" },
      { PUBLIC_URL: "https://chat.example.com" },
      { PUBLIC_URL: "http://127.0.0.1.example.com" },
    ])
      expect(isServed(more), JSON.stringify(more)).to.equal(false);
  });

  it("are none if npm start has made none", async () => {
    const read = demoAccountsOf(readEnvironment(variables({ DATA_DIR: join(dataDir, "none") })));
    expect(await read?.()).to.deep.equal([]);
  });
});
