import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { ask } from "./lib/http.ts";
import { report, say, type Row } from "./lib/report.ts";
import { registerDeviceRequest } from "./lib/requests.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { median, medianRatio, quantile, spread } from "./lib/statistics.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Measures whether a slow or dead push bouncer delays the request that registers a phone for push notifications. Each
// kind of bouncer has its own installation. Requests alternate between the installations, one at a time, so that other
// load on the machine affects all of them.
const rounds = 9;
/** Registrations in a round, at each installation. */
const registrations = 60;
/**
 * Milliseconds from one request to the next. The worker finishes the previous registration in this time, so that its
 * CPU time does not affect the next request.
 */
const everyMs = 40;

/** The behaviour of each kind of bouncer; undefined when it does not listen. */
const bouncers: Readonly<Record<string, RequestListener | undefined>> = {
  healthy: (request, response) => {
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ result: "success", msg: "" }));
    });
  },
  hanging: (request) => void request.resume(),
  dead: undefined,
};

interface Installation {
  readonly name: string;
  /** Creates a device for each account. @returns a function that registers the next device */
  readonly prepare: () => Promise<() => Promise<unknown>>;
  readonly stop: () => Promise<void>;
  /** Milliseconds, by round. */
  readonly p50: number[];
  readonly p95: number[];
}

const rows: Row[] = [];
for (const backend of backends) rows.push(...(await compare(backend)));
await report("push-registration", rows);
process.exit(0);

async function compare(backend: BackendName): Promise<Row[]> {
  const installations: Installation[] = [];
  for (const [name, listener] of Object.entries(bouncers))
    installations.push(await install(name, backend, await listen(listener)));
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    const asked = await Promise.all(
      installations.map(async ({ prepare }) => ({ next: await prepare(), times: [] as number[] })),
    );
    for (let n = 0; n < registrations; n++)
      for (const { next, times } of asked) {
        const turn = pause(everyMs);
        const askedAt = performance.now();
        await next();
        times.push(performance.now() - askedAt);
        await turn;
      }
    for (const [i, { name, p50, p95 }] of installations.entries()) {
      const { times } = asked[i]!;
      const [half, most] = [median(times), quantile(times, 0.95)];
      say(`${backend}, ${name}: p50 ${half.toFixed(1)} ms, p95 ${most.toFixed(1)} ms`);
      if (round === 0) continue;
      p50.push(half);
      p95.push(most);
    }
  }
  for (const { stop } of installations) await stop();
  return (["p50", "p95"] as const).map((which) => {
    const apart = largestRatio(installations.map((one) => one[which]));
    const each = installations.map((one) => `${one.name} ${spread(one[which], 1)}`).join(", ");
    return {
      question: `${which} of POST /mobile_push/register beside a worker that registers the tokens, ${backend} queues, with a healthy, a hanging and a dead bouncer`,
      value: `${apart.toFixed(2)} × apart (ms: ${each})`,
      target: "at most 1.2 ×",
      holds: apart <= 1.2,
    };
  });
}

/** Returns the largest median ratio of any two lists. */
function largestRatio(lists: ReadonlyArray<readonly number[]>): number {
  return Math.max(...lists.flatMap((ours) => lists.map((theirs) => medianRatio(ours, theirs))));
}

async function install(name: string, backend: BackendName, url: string): Promise<Installation> {
  const database = await createBenchDatabase(backend);
  const { members } = await createWorld(database.db, 1, registrations);
  const variables = {
    PUSH_BOUNCER_URL: url,
    PUSH_SERVER_ID: "6cde5f7a-1f7e-4978-9716-49f69ebfc9fe",
    PUSH_SERVER_KEY: "bench",
  };
  const gateway = await startGateway(database, [], variables);
  const worker = await startWorker(database, [], variables);
  return {
    name,
    p50: [],
    p95: [],
    async prepare() {
      const made = await database.db.rows<{ id: number; userId: number }>(
        `INSERT INTO client_devices (user_id) SELECT unnest($1::int[]) RETURNING id, user_id AS "userId"`,
        [members.map(({ id }) => id)],
      );
      const devices = made.map(({ id, userId }) =>
        registerDeviceRequest(
          members.find((member) => member.id === userId)!,
          id,
        ),
      );
      return () => ask(gateway.port, devices.pop()!);
    },
    async stop() {
      await worker.stop();
      await gateway.stop();
      await database.drop();
    },
  };
}

/** Starts a server, and returns its address. Without a listener, returns an address that refuses connections. */
async function listen(listener: RequestListener | undefined): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  if (!listener) server.close();
  return `http://127.0.0.1:${port}`;
}
