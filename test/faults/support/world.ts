import { connectDatabase, type Database } from "@carillon/db";
import {
  createTestDatabase,
  createTestQueues,
  installation,
  openQueues,
  startApp,
  startOwnPostgres,
  type OwnServer,
  type QueueBackend,
  type TestDatabase,
  type TestProcess,
  type TestQueues,
  type Variables,
} from "@carillon/testkit";
import { queueNames } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { prepareQueues, type Queues } from "@carillon/queue";

/** The installation of one scenario: database, queues, and the processes started on them. */
export interface World {
  readonly backend: QueueBackend;
  readonly db: Database;
  /** The test's own connection to the queues. */
  readonly queues: Queues;
  /** The environment of its processes. */
  readonly variables: Variables;
  /** Starts a worker or gateway without waiting for it. */
  startWorker(more?: Variables): TestProcess;
  startGateway(more?: Variables): TestProcess;
  /** Starts a worker, and waits until it works. */
  worker(more?: Variables): Promise<TestProcess>;
  /** Starts a gateway, and waits until it serves requests. */
  gateway(more?: Variables): Promise<TestProcess & { url: string }>;
  /** Kills running processes, and drops database and queues. */
  close(): Promise<void>;
}

/** A start takes a second, or many if several processes start on a busy machine. */
const startMs = 150_000;

/** Servers that the scenario breaks, used instead of the shared ones. */
export interface OwnServers {
  /** A migrated database. */
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string | undefined;
}

/** Runs a scenario in a new world, which is closed in any case. */
export async function inWorld(
  backend: QueueBackend,
  scenario: (world: World) => Promise<void>,
  own: OwnServers = {},
): Promise<void> {
  const world = await openWorld(backend, own);
  try {
    await scenario(world);
  } finally {
    await world.close();
  }
}

/** Runs a scenario on a PostgreSQL server of its own, which the scenario may stop and start. */
export async function inWorldWithPostgres(
  backend: QueueBackend,
  scenario: (world: World, server: OwnServer) => Promise<void>,
): Promise<void> {
  const server = await startOwnPostgres();
  try {
    await inWorld(backend, (world) => scenario(world, server), { databaseUrl: server.url });
  } finally {
    await server.close();
  }
}

/** Deletes all jobs. */
export async function emptyQueues({ queues }: Pick<World, "queues">): Promise<void> {
  await Promise.all(queues.bullQueues().map((queue) => queue.obliterate({ force: true })));
}

export async function openWorld(backend: QueueBackend, own: OwnServers = {}): Promise<World> {
  const database = own.databaseUrl ? await givenDatabase(own.databaseUrl) : await freshDatabase();
  const { db } = database;
  const store = own.redisUrl
    ? await givenRedis(db.url, own.redisUrl)
    : await createTestQueues(backend, db.url);
  // Two workers of a scenario share them, each with a connection for each queue.
  const queues = await store.connect({ poolSize: 2 * queueNames.length + 4 });
  const variables = installation(db.url, store.config.redisUrl);
  const started: TestProcess[] = [];
  const start = (app: "gateway" | "worker", more: Variables = {}) => {
    const made = startApp(app, { ...variables, ...more });
    started.push(made);
    return made;
  };
  return {
    backend,
    db,
    queues,
    variables,
    startWorker: (more) => start("worker", more),
    startGateway: (more) => start("gateway", more),
    async worker(more) {
      const made = start("worker", more);
      await made.waitForLine("worker started", startMs);
      return made;
    },
    async gateway(more) {
      const made = start("gateway", more);
      const line = await made.waitForLine("gateway started", startMs);
      return Object.assign(made, { url: `http://127.0.0.1:${String(line["port"])}` });
    },
    async close() {
      await Promise.all(started.map((one) => one.kill()));
      await store.drop();
      await database.drop();
    },
  };
}

async function freshDatabase(): Promise<{ db: Database; drop(): Promise<void> }> {
  const database: TestDatabase = await createTestDatabase();
  return { db: await database.connect(), drop: () => database.drop() };
}

async function givenDatabase(url: string): Promise<{ db: Database; drop(): Promise<void> }> {
  const db = await connectDatabase(url, { max: 10, name: "test", connectMs: 60_000 });
  return { db, drop: () => db.close() };
}

async function givenRedis(databaseUrl: string, redisUrl: string): Promise<TestQueues> {
  const config = { databaseUrl, redisUrl, log: silentLogger };
  await prepareQueues(config);
  const { connect, close } = openQueues(config);
  return { config, connect, drop: close };
}
