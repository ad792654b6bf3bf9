import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createTestDatabase,
  installation,
  redisCommand,
  redisUrl,
  reservePort,
  startApp,
  startOwnRedis,
  waitFor,
  type AppName,
  type OwnServer,
  type TestDatabase,
  type Variables,
} from "@carillon/testkit";
import { expect } from "chai";

/** The environment prepared for all starts, including faults. */
interface Surroundings {
  readonly database: TestDatabase;
  /** Lacks the last migration. */
  readonly outdated: TestDatabase;
  /** Has a migration that this build does not know. */
  readonly newer: TestDatabase;
  /** Evicts keys when its memory is full. */
  readonly redis: OwnServer | undefined;
  /** A server listens there that never responds. */
  readonly takenPort: number;
  readonly closedPort: number;
  readonly folder: string;
}

interface Refusal {
  readonly title: string;
  readonly app: AppName;
  readonly variables: (around: Surroundings) => Variables;
  /** Matches the whole line. */
  readonly line: RegExp;
  readonly needsRedis?: boolean;
}

const good = (around: Surroundings): Variables => ({
  ...installation(around.database.url),
  DASHBOARD_PORT: "0",
  DASHBOARD_USER: "operator",
  DASHBOARD_PASSWORD: "a password for tests",
  DATA_DIR: join(around.folder, "var"),
});

/** A variable with a value that is wrong in every environment. */
function wrong(app: AppName, name: string, value: string | undefined, rule: string): Refusal {
  return {
    title: `${name}=${value ?? ""}`,
    app,
    variables: () => ({ [name]: value }),
    line: new RegExp(`^${name} .*${rule}`),
  };
}

const theServices = ["gateway", "worker", "dashboard"] as const;

const refusals: readonly Refusal[] = [
  wrong("gateway", "PORT", "99999", "must be a port number from 0 to 65535"),
  wrong("gateway", "RATE_LIMITS", "many", "must be `off` or rules such as"),
  wrong("gateway", "SECRET_KEY", undefined, "is not set"),
  wrong("worker", "SECRET_KEY", "short", "must have at least 32 characters"),
  wrong("worker", "DATABASE_URL", undefined, "is not set"),
  wrong("dashboard", "DASHBOARD_PASSWORD", undefined, ""),
  wrong("standalone", "DEMO", "maybe", "must be `on` or `off`"),
  {
    title: "a push bouncer without credentials",
    app: "worker",
    variables: () => ({ PUSH_BOUNCER_URL: "https://push.example.com" }),
    line: /^PUSH_SERVER_ID is not set: .*PUSH_SERVER_ID and PUSH_SERVER_KEY$/,
  },
  {
    title: "credentials of a push bouncer that is not named",
    app: "standalone",
    variables: () => ({ PUSH_SERVER_KEY: "secret" }),
    line: /^PUSH_BOUNCER_URL is not set, but PUSH_SERVER_KEY is: .*$/,
  },
  {
    title: "a taken PORT",
    app: "gateway",
    variables: ({ takenPort }) => ({ PORT: String(takenPort) }),
    line: /^PORT \d+ is taken/,
  },
  {
    title: "a taken DASHBOARD_PORT",
    app: "dashboard",
    variables: ({ takenPort }) => ({ DASHBOARD_PORT: String(takenPort) }),
    line: /^DASHBOARD_PORT \d+ is taken/,
  },
  {
    title: "a taken METRICS_PORT",
    app: "worker",
    variables: ({ takenPort }) => ({ METRICS_PORT: String(takenPort) }),
    line: /^METRICS_PORT \d+ is taken/,
  },
  {
    title: "a taken PORT",
    app: "standalone",
    variables: ({ takenPort }) => ({ PORT: String(takenPort) }),
    line: /^PORT \d+ is taken/,
  },
  {
    title: "a taken DASHBOARD_PORT",
    app: "standalone",
    variables: ({ takenPort }) => ({ DASHBOARD_PORT: String(takenPort) }),
    line: /^DASHBOARD_PORT \d+ is taken/,
  },
  {
    title: "an unwritable DATA_DIR",
    app: "standalone",
    variables: ({ folder }) => ({ DATA_DIR: join(folder, "file", "var") }),
    line: /^DATA_DIR .*file/,
  },
  ...theServices.flatMap((app): Refusal[] => [
    {
      title: "a database that is not there",
      app,
      variables: ({ database, closedPort }) => ({ DATABASE_URL: at(database.url, closedPort) }),
      line: /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+\/\w+ \(ECONNREFUSED\)$/,
    },
    {
      title: "an outdated database",
      app,
      variables: ({ outdated }) => ({ DATABASE_URL: outdated.url }),
      line: /^DATABASE_URL: the database lacks 1 migration.*: run `npm run migrate`$/,
    },
  ]),
  ...(["gateway", "worker"] as const).flatMap((app): Refusal[] => [
    {
      title: "a database that never answers",
      app,
      variables: ({ database, takenPort }) => ({ DATABASE_URL: at(database.url, takenPort) }),
      line: /^DATABASE_URL: no PostgreSQL answers at 127\.0\.0\.1:\d+\/\w+ \(.*timeout.*\)$/,
    },
    {
      title: "a Redis that is not there",
      app,
      variables: ({ closedPort }) => ({ REDIS_URL: `redis://127.0.0.1:${closedPort}` }),
      line: /^REDIS_URL: cannot connect to Redis: .*ECONNREFUSED/,
    },
  ]),
  {
    title: "a Redis that never answers",
    app: "worker",
    variables: ({ takenPort }) => ({ REDIS_URL: `redis://127.0.0.1:${takenPort}` }),
    line: /^REDIS_URL: cannot connect to Redis: ./,
  },
  {
    title: "the database of a newer build",
    app: "gateway",
    variables: ({ newer }) => ({ DATABASE_URL: newer.url }),
    line: /^DATABASE_URL: migration 9999_after_9998_drop takes away what this build needs: start a build that has 9998$/,
  },
  {
    title: "the database of a newer build",
    app: "standalone",
    variables: ({ newer }) => ({ DATABASE_URL: newer.url }),
    line: /^DATABASE_URL: migration 9999_after_9998_drop takes away what this build needs: start a build that has 9998$/,
  },
  ...(["worker", "standalone"] as const).map((app): Refusal => ({
    title: "a Redis that drops keys",
    app,
    variables: ({ redis }) => ({ REDIS_URL: redis?.url }),
    line: /^REDIS_URL: this Redis has maxmemory-policy allkeys-lru .* set the policy to noeviction$/,
    needsRedis: true,
  })),
];

/** A start uses one core for about a second. */
const atOnce = 3;
/** Longer than any connection timeout, in milliseconds. */
const limitMs = 150_000;

describe("A process refuses to start, with one line and exit code 1", function () {
  let around: Surroundings;
  let left: Array<() => Promise<unknown>> = [];
  const ends = new Map<Refusal, Promise<{ code: number | null; said: string }>>();

  before("prepare what is in the way", async () => {
    const prepared = await surroundings();
    around = prepared.around;
    left = prepared.close;
    const limit = limiter(atOnce);
    for (const refusal of refusals) {
      if (refusal.needsRedis && !around.redis) continue;
      const end = limit(() => start(refusal, around));
      end.catch(() => undefined);
      ends.set(refusal, end);
    }
  });

  after("remove it", async () => {
    await Promise.allSettled(ends.values());
    await Promise.all(left.map((close) => close()));
  });

  for (const refusal of refusals) {
    it(`${refusal.app}: ${refusal.title}`, async function () {
      const end = ends.get(refusal);
      if (!end) return this.skip();
      const { code, said } = await end;
      expect(said).to.match(refusal.line);
      expect(said.split("\n"), said).to.have.length(1);
      expect(code).to.equal(1);
    });
  }
});

/** Starts the app and waits for its end. Returns its exit code and its output without log lines. */
async function start(
  { app, variables }: Refusal,
  around: Surroundings,
): Promise<{ code: number | null; said: string }> {
  const started = startApp(app, {
    ...good(around),
    DATA_DIR: await mkdtemp(join(around.folder, "data-")),
    ...variables(around),
  });
  try {
    await waitFor(() => !started.running(), { what: "it has ended", timeoutMs: limitMs });
    const lines = started.output().split("\n");
    const said = lines.filter((line) => line !== "" && !line.startsWith("{")).join("\n");
    return { code: (await started.exit).code, said };
  } finally {
    await started.kill();
  }
}

async function surroundings(): Promise<{
  around: Surroundings;
  close: Array<() => Promise<unknown>>;
}> {
  const close: Array<() => Promise<unknown>> = [];
  const [database, outdated, newer] = [
    await createTestDatabase(),
    await createTestDatabase(),
    await createTestDatabase(),
  ];
  for (const made of [database, outdated, newer]) close.push(() => made.drop());
  // Connect before the databases are broken: connecting checks them.
  const older = await outdated.connect();
  await older.rows(
    `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`,
  );
  const later = await newer.connect();
  await later.rows(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ('later', 'x', '9999_after_9998_drop', now(), 1)`,
  );
  const redis = redisUrl() ? await startOwnRedis() : undefined;
  if (redis) {
    close.push(() => redis.close());
    await redisCommand(redis.url, "CONFIG SET maxmemory-policy allkeys-lru");
  }
  const silent = await silentServer();
  close.push(() => silent.close());
  const folder = await mkdtemp(join(tmpdir(), "carillon-start-up-"));
  close.push(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "file"), "");
  const closedPort = await reservePort();
  const around = { database, outdated, newer, redis, takenPort: silent.port, closedPort, folder };
  return { around, close };
}

/** Starts a server that accepts connections and never responds. */
async function silentServer(): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function at(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

/** Returns a limiter that runs at most `count` tasks at a time. */
function limiter(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: Array<() => void> = [];
  let free = count;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
