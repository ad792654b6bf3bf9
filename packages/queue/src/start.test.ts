import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { allJobs, deliverDue } from "@carillon/jobs";
import { silentLogger, StartupError } from "@carillon/kit";
import pg from "pg";
import { connectQueues, prepareQueues } from "./queues.ts";
import {
  countConnections,
  cutConnections,
  needServer,
  openStore,
  reservePort,
  waitUntil,
  withDatabase,
  type TestStore,
} from "@carillon/testkit";

const delivery = { job: deliverDue, payload: { realmId: 1, second: 1_700_000_000 } };

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const failure = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).to.be.instanceOf(StartupError);
  return failure instanceof StartupError ? failure.message : "";
}

describe("starting the queues on PostgreSQL", () => {
  let store: TestStore;
  let admin: pg.Client;

  before(function () {
    needServer("postgres", this);
  });
  beforeEach(async () => {
    store = await openStore("postgres");
    admin = new pg.Client({ connectionString: store.config.databaseUrl });
    await admin.connect();
  });
  afterEach(async () => {
    await admin.end();
    await store.drop();
  });

  it("refuses an unreachable database, naming DATABASE_URL", async () => {
    const config = {
      databaseUrl: `postgres://127.0.0.1:${await reservePort()}/x`,
      log: silentLogger,
    };
    expect(await refusal(prepareQueues(config))).to.match(/^DATABASE_URL: .*ECONNREFUSED/);
    expect(await refusal(connectQueues(config))).to.match(/^DATABASE_URL: .*ECONNREFUSED/);
  });

  it("refuses a database that was not prepared, naming the command", async () => {
    await admin.query("DROP SCHEMA bullmq CASCADE");
    expect(await refusal(store.connect()))
      .to.include("DATABASE_URL")
      .and.include("npm run migrate");
  });

  it("prepares the tables once, even if several processes do it at the same time", async () => {
    await Promise.all([1, 2, 3].map(() => prepareQueues(store.config)));
    const { rows } = await admin.query(
      "SELECT reloptions FROM pg_class WHERE oid = 'bullmq.job'::regclass",
    );
    expect(rows[0].reloptions).to.have.members([
      "autovacuum_vacuum_threshold=500",
      "autovacuum_vacuum_scale_factor=0",
      "autovacuum_vacuum_cost_delay=0",
    ]);
  });

  it("refuses more workers than the pool has connections for", async () => {
    const queues = await store.connect({ poolSize: 2 });
    const options = { definitions: allJobs, log: silentLogger, run: async () => undefined };
    const worker = queues.worker("delivery", options);
    expect(() => queues.worker("push", options)).to.throw(StartupError, "poolSize is 2");
    await worker.close();
  });

  it("stays within its pool, and leaves no connection open when closed", async () => {
    const queues = await store.connect({ poolSize: 3 });
    const worker = queues.worker("delivery", {
      definitions: allJobs,
      log: silentLogger,
      run: async () => undefined,
    });
    await Promise.all(
      Array.from({ length: 30 }, (_, second) =>
        queues.publish([{ job: deliverDue, payload: { realmId: 1, second } }]),
      ),
    );
    expect(await countConnections(admin)).to.be.within(1, 3);
    await worker.close();
    await queues.close();
    await waitUntil("the connections to end", async () => (await countConnections(admin)) === 0);
  });

  it("continues after all its connections were cut", async () => {
    const queues = await store.connect();
    let runs = 0;
    const worker = queues.worker("delivery", {
      definitions: allJobs,
      log: silentLogger,
      run: async () => void runs++,
    });
    await queues.publish([delivery]);
    await waitUntil("the first run", () => runs === 1);
    expect(await cutConnections(admin)).to.be.at.least(1);
    await waitUntil("adding to work again", () =>
      queues.publish([delivery]).then(
        () => true,
        () => false,
      ),
    );
    await waitUntil("the second run", () => runs >= 2);
    await worker.close();
  });
});

describe("starting the queues on Redis", function () {
  let server: ChildProcess | undefined;

  before(function () {
    needServer("redis", this);
  });
  afterEach(() => stop());

  async function start(port: number, ...options: string[]): Promise<string> {
    server = spawn(
      "redis-server",
      ["--port", String(port), "--save", "", "--appendonly", "no", ...options],
      {
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    let output = "";
    server.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await waitUntil("Redis to start", () => output.includes("Ready to accept connections"));
    return `redis://127.0.0.1:${port}`;
  }

  async function stop(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  }

  function configFor(redisUrl: string) {
    return {
      databaseUrl: withDatabase("postgres://unused.invalid", "x"),
      redisUrl,
      log: silentLogger,
    };
  }

  it("refuses an unreachable Redis, naming REDIS_URL", async () => {
    const config = configFor(`redis://127.0.0.1:${await reservePort()}`);
    expect(await refusal(prepareQueues(config))).to.match(/^REDIS_URL: .*ECONNREFUSED/);
    expect(await refusal(connectQueues(config))).to.match(/^REDIS_URL: .*ECONNREFUSED/);
  });

  it("refuses a Redis that may drop jobs, naming the setting", async () => {
    const config = configFor(await start(await reservePort(), "--maxmemory-policy", "allkeys-lru"));
    for (const attempt of [prepareQueues, connectQueues]) {
      expect(await refusal(attempt(config))).to.match(/^REDIS_URL: .*allkeys-lru.*noeviction/);
    }
  });

  it("fails at once to add jobs while Redis is unavailable, and its worker continues when Redis is back", async () => {
    const port = await reservePort();
    const queues = await connectQueues(configFor(await start(port)));
    let runs = 0;
    const worker = queues.worker("delivery", {
      definitions: allJobs,
      log: silentLogger,
      run: async () => void runs++,
    });
    await queues.publish([delivery]);
    await waitUntil("the first run", () => runs === 1);
    await stop();
    const failure = await queues.publish([delivery]).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await start(port);
    await waitUntil("adding to work again", () =>
      queues.publish([delivery]).then(
        () => true,
        () => false,
      ),
    );
    await waitUntil("the second run", () => runs >= 2);
    await worker.close();
    await queues.close();
  });
});
