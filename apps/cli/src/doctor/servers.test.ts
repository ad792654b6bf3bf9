import { readEnvironment } from "@carillon/kit";
import { reservePort, startFaultProxy, useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { examinePooler } from "./pooler.ts";
import { examineServers } from "./servers.ts";

describe("carillon doctor on the servers of DATABASE_URL", () => {
  const db = useDatabase();
  const urlOf = (...ports: number[]) =>
    db.url.replace(/@[^/]*/, `@${ports.map((port) => `127.0.0.1:${port}`).join()}`);

  it("shows no servers if the URL names one", async () => {
    expect(await examineServers(db.url)).to.deep.equal([]);
  });

  it("shows which server accepts writes, and warns of one that does not answer", async () => {
    const port = Number(new URL(db.url).port);
    const away = await reservePort();
    const findings = await examineServers(urlOf(away, port));
    expect(findings.map(({ state }) => state)).to.deep.equal(["warning", "ok"]);
    expect(findings[0]?.text).to.equal(
      "does not answer (ECONNREFUSED): a failover to it would fail",
    );
    expect(findings[1]?.text).to.equal("accepts writes, timeline 1");
  });

  it("fails if two servers accept writes", async () => {
    const proxy = await startFaultProxy(db.url);
    const findings = await examineServers(urlOf(Number(new URL(db.url).port), proxy.port));
    await proxy.close();
    const [failed] = findings.filter(({ state }) => state === "failed");
    expect(failed?.text).to.match(/^2 of its servers accept writes, .*: stop all but the one/);
  });

  it("checks both addresses if there is a pooler", async () => {
    expect(await examinePooler(readEnvironment({ DATABASE_URL: db.url }))).to.deep.equal([]);
    const pooled = readEnvironment({ DATABASE_URL: db.url, DATABASE_DIRECT_URL: db.url });
    expect(await examinePooler(pooled)).to.deep.equal([
      { what: "pooler", state: "ok", text: "takes transactions at DATABASE_URL" },
      { what: "DATABASE_DIRECT_URL", state: "ok", text: "is PostgreSQL itself" },
    ]);
  });
});
