import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildDashboard } from "@carillon/dashboard";
import type { Database } from "@carillon/db";
import { silentLogger } from "@carillon/kit";
import { connectQueues, prepareQueues, type Queues } from "@carillon/queue";
import { createTestDatabase } from "@carillon/testkit";

/** The operator's credentials in tests. */
export const login = { role: "operator", user: "olga", password: "open:sesame ä" } as const;

/** A listening dashboard with its own database, which also contains the queues. */
export interface OpenDashboard {
  readonly db: Database;
  readonly queues: Queues;
  readonly origin: string;
  readonly close: () => Promise<void>;
}

/** Starts a dashboard. */
export async function openDashboard(): Promise<OpenDashboard> {
  const database = await createTestDatabase();
  const config = { databaseUrl: database.url, log: silentLogger };
  await prepareQueues(config);
  const queues = await connectQueues(config);
  const db = await database.connect({ max: 4 });
  const app = buildDashboard({ db, queues, logins: [login], log: silentLogger });
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    db,
    queues,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await queues.close();
      await database.drop();
    },
  };
}
