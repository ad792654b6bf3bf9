import { createServer } from "node:http";
import { expositionFaults } from "@carillon/testkit";
import { expect } from "chai";
import { StartupError } from "./startup-error.ts";
import { listen } from "./listen.ts";
import { createLogger, silentLogger } from "./logger.ts";
import {
  countFrom,
  createRegistry,
  measureLoopDelay,
  measureNode,
  measurePools,
  measureRequests,
} from "./metrics.ts";
import { startProbeServer, type ProbeServer } from "./probe-server.ts";

describe("startProbeServer", () => {
  let server: ProbeServer | undefined;
  let health: () => Promise<boolean>;
  const registry = createRegistry("gateway");
  const get = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${server?.port}${path}`, init);

  before(async () => {
    server = await startProbeServer({
      port: 0,
      host: "127.0.0.1",
      registry,
      health: () => health(),
      log: silentLogger,
    });
  });
  after(() => server?.close());

  it("reports whether the process can do its work", async () => {
    health = async () => true;
    expect((await get("/health")).status).to.equal(200);
    expect((await get("/live")).status).to.equal(200);
    health = async () => false;
    expect((await get("/live")).status).to.equal(200);
    expect((await get("/health")).status).to.equal(503);
    health = () => Promise.reject(new Error("no"));
    const answer = await get("/health");
    expect(answer.status).to.equal(503);
    expect(await answer.json()).to.deep.equal({ status: "unavailable" });
  });

  it("serves metrics of the process, its pools, requests and counters as Prometheus text", async () => {
    const stop = measureLoopDelay(registry);
    measurePools(registry, { database: { totalCount: 5, idleCount: 2, waitingCount: 1 } });
    const measure = measureRequests(registry);
    measure({ operation: "send-message", status: 200, seconds: 0.02 });
    measure({ operation: "send-message", status: 200, seconds: 0.03 });
    countFrom(registry, "carillon_enqueue_missed_total", () => ({ alarms: 12, intents: 3 }));
    await get("/metrics");
    const answer = await get("/metrics?x=1");
    stop();
    expect(answer.headers.get("content-type")).to.match(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    for (const line of [
      'carillon_build_info{role="gateway",version="0.1.0"} 1',
      'carillon_pool_waiting{pool="database"} 1',
      'carillon_pool_connections{pool="database",state="busy"} 3',
      'carillon_http_requests_total{operation="send-message",status="200"} 2',
      'carillon_http_request_seconds_bucket{le="0.025",operation="send-message"} 1',
      'carillon_enqueue_missed_total{kind="alarms"} 12',
      'carillon_enqueue_missed_total{kind="intents"} 3',
    ]) {
      expect(text.split("\n")).to.include(line);
    }
    expect(expositionFaults(text)).to.deep.equal([]);
    expect(text).to.match(/^carillon_loop_delay_seconds_bucket\{le="\+Inf"\} \d/m);
  });

  it("serves the library's default metrics, except those that iterate over every connection", async () => {
    measureNode(registry);
    const text = await (await get("/metrics")).text();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? "");
    expect(names).to.include.members([
      "process_resident_memory_bytes",
      "nodejs_gc_duration_seconds",
      "nodejs_eventloop_lag_seconds",
      "nodejs_heap_space_size_used_bytes",
      "nodejs_version_info",
    ]);
    expect(names.filter((name) => /active|fds/.test(name))).to.deep.equal(["process_max_fds"]);
    // Metrics that are reset at each scrape would give two scrapers half each.
    expect(names.filter((name) => name.startsWith("nodejs_eventloop_lag"))).to.have.length(1);
  });

  it("refuses other methods and paths", async () => {
    expect((await get("/health", { method: "POST" })).status).to.equal(405);
    expect((await get("/metrics", { method: "HEAD" })).status).to.equal(200);
    expect((await get("/")).status).to.equal(404);
  });

  it("answers 500 when the metrics cannot be read", async () => {
    const broken = createRegistry("worker");
    countFrom(broken, "carillon_enqueue_missed_total", () => {
      throw new Error("no");
    });
    const second = await startProbeServer({
      port: 0,
      host: "127.0.0.1",
      registry: broken,
      health: async () => true,
      log: createLogger("test", { level: "silent" }),
    });
    expect((await fetch(`http://127.0.0.1:${second.port}/metrics`)).status).to.equal(500);
    await second.close();
  });

  it("refuses a taken port, naming METRICS_PORT", async () => {
    const other = createServer();
    const port = await listen(other, 0, "127.0.0.1", "PORT");
    const options = {
      port,
      host: "127.0.0.1",
      registry,
      health: async () => true,
      log: silentLogger,
    };
    const refusal: unknown = await startProbeServer(options).catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(StartupError);
    expect(String(refusal)).to.match(new RegExp(`METRICS_PORT ${port} is taken`));
    await new Promise((resolve) => other.close(resolve));
  });
});
