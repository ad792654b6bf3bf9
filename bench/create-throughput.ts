import { startChild } from "./lib/child.ts";
import { startLoad } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { backends, createBenchDatabase, type BackendName } from "./lib/servers.ts";
import { medianRatio, spread } from "./lib/statistics.ts";
import { secretKey, startGateway } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";

// Compares the throughput of scheduling through the gateway with that of a minimal server.
const rounds = 3;
const seconds = 5;

const rows: Row[] = [];
for (const backend of backends) rows.push(await measure(backend));
await report("create-throughput", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 50, 10);
  await database.db.rows("INSERT INTO clients (name) VALUES ('bench') ON CONFLICT DO NOTHING");
  const gateway = await startGateway(database);
  const peer = startChild("peer-http", "bench/peers/http.ts", {
    DATABASE_URL: database.url,
    REDIS_URL: database.redisUrl,
    SECRET_KEY: secretKey,
    NODE_ENV: "production",
  });
  await peer.written("peer started on");
  const peerPort = Number(/peer started on (\d+)/.exec(peer.output())?.[1]);
  const load = await startLoad(world);
  await load.run(gateway.port, seconds);
  await load.run(peerPort, seconds);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const own = await load.run(gateway.port, seconds);
    const other = await load.run(peerPort, seconds);
    ours.push(own.rate);
    theirs.push(other.rate);
    say(
      `${backend}, round ${round}: ${own.rate.toFixed(0)}/s (p50 ${own.p50} ms, p99 ${own.p99} ms), the bare server ${other.rate.toFixed(0)}/s (p50 ${other.p50} ms, p99 ${other.p99} ms)`,
    );
  }
  await load.stop();
  await peer.stop();
  await gateway.stop();
  await database.drop();
  const ratio = medianRatio(ours, theirs);
  return {
    question: `POST /scheduled_messages, 32 in flight, times spread over an hour, one organization, ${backend} queues, against a bare node:http server (key, row and event in one transaction, one queue.add)`,
    value: `${ratio.toFixed(2)} × (${spread(ours)} requests/s against ${spread(theirs)})`,
    target: "at least 1.2 ×",
    holds: ratio >= 1.2,
  };
}
