import { createServer, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import { listen } from "./listen.ts";
import type { Logger } from "./logger.ts";
import {
  measureLoopDelay,
  measureNode,
  measurePools,
  type MeasuredPool,
  metricsContentType,
} from "./metrics.ts";
import type { Shutdown } from "./shutdown.ts";

/** The HTTP port of a gateway or worker process for probes and Prometheus. */
export interface ProbeServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface ProbeOptions {
  /** `METRICS_PORT`; 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  readonly registry: Registry;
  /** Whether the process can do its work, such as `db.answers`; false or a rejection answers 503. */
  readonly health: () => Promise<boolean>;
  readonly log: Logger;
  /** Updates values that are read elsewhere, before each answer of `/metrics`; never rejects. */
  readonly refresh?: () => Promise<void>;
}

/**
 * Serves `GET /live` (200 whenever the process answers: a restart would not fix other problems), `GET /health` (200, or 503
 * when the process cannot do its work) and `GET /metrics` (Prometheus text).
 * @throws StartupError naming METRICS_PORT when the port cannot be listened on
 */
export async function startProbeServer(options: ProbeOptions): Promise<ProbeServer> {
  const { registry, health, log } = options;

  async function answer(path: string, response: ServerResponse): Promise<void> {
    if (path === "/live") {
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"status":"ok"}');
    } else if (path === "/health") {
      const well = await health().catch(() => false);
      const text = JSON.stringify({ status: well ? "ok" : "unavailable" });
      response.writeHead(well ? 200 : 503, { "Content-Type": "application/json" }).end(text);
    } else if (path === "/metrics") {
      await options.refresh?.();
      const text = await registry.metrics();
      response.writeHead(200, { "Content-Type": metricsContentType }).end(text);
    } else {
      response.writeHead(404).end();
    }
  }

  const server = createServer((request, response) => {
    response.setHeader("Cache-Control", "no-store");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { Allow: "GET, HEAD" }).end();
      return;
    }
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    answer(path, response).catch((error: unknown) => {
      log.error({ err: error, path }, "answering a probe failed");
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const port = await listen(server, options.port, options.host, "METRICS_PORT");
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

/**
 * Measures the event loop, Node and the pool of the database, and serves the probes until the given step of the shutdown.
 * @throws StartupError naming METRICS_PORT when the port cannot be listened on
 */
export async function serveProbes(
  { pool, ...options }: ProbeOptions & { readonly pool: MeasuredPool },
  { shutdown, order }: { readonly shutdown: Shutdown; readonly order: number },
): Promise<void> {
  shutdown.add(order, "loop delay", measureLoopDelay(options.registry));
  measureNode(options.registry);
  measurePools(options.registry, { database: pool });
  const probes = await startProbeServer(options);
  shutdown.add(order, "probes", () => probes.close());
}
