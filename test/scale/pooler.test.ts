import { applyMigrations } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { prepareQueues } from "@carillon/queue";
import { queueBackends, redisUrl, type QueueBackend } from "@carillon/testkit";
import { expect } from "chai";
import { openWorld } from "../faults/support/world.ts";
import { pgBouncerVersion, startPgBouncer } from "./support/pgbouncer.ts";
import { startProxy } from "./support/proxy.ts";
import { installedPrograms, useInstalledPostgres } from "./support/installed-postgres.ts";
import { startTraffic } from "./support/traffic.ts";

const gateways = 20;
const workers = 2;
/** Number of gateways, which start at the same time. */
const startedAtOnce = 4;
/** PostgreSQL's default for `max_connections`. Three of them are reserved for superusers. */
const usable = 97;

const programs = installedPrograms();
const version = pgBouncerVersion();

describe(`PgBouncer ${version ?? ""} in transaction mode`, function () {
  this.timeout(400_000);
  if (!programs || version === undefined) {
    it("needs an installed PostgreSQL and PgBouncer");
    return;
  }

  for (const backend of queueBackends) {
    if (backend === "redis" && !redisUrl()) {
      it("on redis: needs CARILLON_TEST_REDIS_URL");
      continue;
    }
    it(`serves ${gateways} gateways on max_connections=100, and they continue after it restarts, on ${backend}`, () =>
      serves(programs, backend));
  }
});

async function serves(folder: string, backend: QueueBackend): Promise<void> {
  const postgres = await useInstalledPostgres(folder, { fsync: "off", max_connections: 100 });
  const server = await postgres.server("server");
  await server.start();
  const pooler = await startPgBouncer(server.url);
  const proxy = await startProxy();
  try {
    await server.query("CREATE DATABASE carillon");
    const direct = server.url.replace(/\/postgres$/, "/carillon");
    await applyMigrations(direct);
    await prepareQueues({ databaseUrl: direct, log: silentLogger });
    const world = await openWorld(backend, { databaseUrl: direct });
    const pooled = { DATABASE_URL: pooler.url("carillon"), DATABASE_DIRECT_URL: direct };
    try {
      for (let n = 0; n < gateways; n += startedAtOnce) {
        const started = Array.from({ length: startedAtOnce }, () => world.gateway(pooled));
        for (const { url } of await Promise.all(started)) proxy.add(url);
      }
      await Promise.all(Array.from({ length: workers }, () => world.worker(pooled)));
      const people = await startTraffic(world.db, proxy.url);
      let most = 0;
      const counting = setInterval(async () => {
        const [row] = await world.db
          .rows<{ used: number }>(
            "SELECT count(*)::int AS used FROM pg_stat_activity WHERE backend_type = 'client backend'",
          )
          .catch(() => []);
        most = Math.max(most, row?.used ?? 0);
      }, 100);
      await people.flows(50);
      await pooler.restart();
      await people.flows();
      clearInterval(counting);
      const failures = await people.end();
      console.log(
        `      at most ${most} connections; refused: ${[...new Set(failures)].join(", ")}`,
      );
      expect(most).to.be.within(10, usable);
    } finally {
      await world.close();
    }
  } finally {
    await proxy.close();
    await pooler.close();
    await postgres.close();
  }
}
