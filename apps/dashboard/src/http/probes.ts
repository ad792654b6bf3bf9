import { metricsContentType, type Registry } from "@carillon/kit";
import type { Middleware } from "koa";
import { rowMetrics } from "../readings/metrics.ts";
import type { Readings } from "../readings/readings.ts";

const paths = ["/live", "/health", "/metrics"];

/**
 * `GET /live` (200 whenever the process answers at all), `GET /health` and `GET /metrics`, without credentials, because
 * probes have none. They contain no names of people, hosts or organizations.
 */
export function probes(readings: Readings, registry: Registry): Middleware {
  const update = rowMetrics(registry);
  return async (ctx, next) => {
    if (!paths.includes(ctx.path)) {
      await next();
      return;
    }
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.status = 405;
      ctx.set("Allow", "GET, HEAD");
      return;
    }
    if (ctx.path === "/live") {
      ctx.body = { status: "ok" };
      return;
    }
    if (ctx.path === "/health") {
      const well = await readings.healthy();
      ctx.status = well ? 200 : 503;
      ctx.body = { status: well ? "ok" : "unavailable" };
      return;
    }
    update(await readings.snapshot());
    const text = await registry.metrics();
    ctx.set("Content-Type", metricsContentType);
    ctx.body = text;
  };
}
