import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildDashboard } from "@carillon/dashboard";
import { silentLogger } from "@carillon/kit";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { openWorld } from "../faults/support/world.ts";
import { installedPrograms } from "./support/installed-postgres.ts";
import { prepareDatabase, startReplicatedPostgres } from "./support/replicated-postgres.ts";

const programs = installedPrograms();

describe("The dashboard of a database with a standby", function () {
  this.timeout(200_000);
  if (!programs) {
    it("needs an installed PostgreSQL with pg_basebackup");
    return;
  }

  it("shows the server and its standby, and reports that commits wait while the standby is down", async () => {
    const servers = await startReplicatedPostgres(programs);
    const world = await openWorld("postgres", { databaseUrl: await prepareDatabase(servers) });
    const login = { role: "viewer", user: "viktor", password: "only looking" } as const;
    const { db, queues } = world;
    const app = buildDashboard({ db, queues, logins: [login], log: silentLogger });
    const server = createServer(app.callback()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const authorization = `Basic ${btoa(`${login.user}:${login.password}`)}`;
    const page = async (path: string) =>
      (await fetch(origin + path, { headers: { authorization } })).text();
    const shows = (path: string, pattern: RegExp) =>
      waitFor(async () => pattern.test(await page(path)), {
        what: `${path} shows ${pattern.source}`,
      });
    try {
      const overview = (await page("/")).replaceAll(/\s+/g, " ");
      expect(overview).to.include(`127.0.0.1:${servers.primary.port}, timeline 1.`);
      expect(overview).to.include("Commits wait for a synchronous standby.");
      expect(overview).to.include("streaming, synchronous");
      await shows("/metrics", /^carillon_standbys\{state="synchronous"\} 1$/m);
      await shows("/metrics", /^carillon_standbys\{state="missing"\} 0$/m);

      await servers.standby.kill();
      await shows("/metrics", /^carillon_standbys\{state="missing"\} 1$/m);
      await shows("/", /Every commit waits for a synchronous standby, and none is connected\./);

      await servers.standby.start();
      await shows("/metrics", /^carillon_standbys\{state="missing"\} 0$/m);
    } finally {
      server.closeAllConnections();
      server.close();
      await world.close();
      await servers.close();
    }
  });
});
