import type { IncomingMessage } from "node:http";
import type { Database } from "@carillon/db";
import {
  createRegistry,
  measurePools,
  type Clock,
  type Logger,
  type Registry,
} from "@carillon/kit";
import type { Queues } from "@carillon/queue";
import Koa from "koa";
import { boardIsReadOnly, boardWhenVisited } from "./board/when-visited.ts";
import type { Login } from "./credentials.ts";
import { refuse } from "./routes/answer.ts";
import { authenticate } from "./http/authenticate.ts";
import { probes } from "./http/probes.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { boardPath } from "./pages/links.ts";
import { openReadings } from "./readings/readings.ts";
import { pageRoutes } from "./routes/routes.ts";

export interface DashboardOptions {
  readonly db: Database;
  readonly queues: Queues;
  readonly logins: readonly Login[];
  readonly log: Logger;
  /** Registry of this process's own metrics; default: a new one. */
  readonly registry?: Registry;
  /** Returns the client's address; default: the connection's. */
  readonly clientAddress?: (request: IncomingMessage) => string;
  /** Clock of this machine; pages show the database's time. */
  readonly clock?: Clock;
  /** Bytes that the uploads of an organization may take; default: no quota. */
  readonly quota?: number | undefined;
}

/**
 * Builds the dashboard as a Koa application. It never listens. Probes and metrics are open, everything else requires
 * credentials.
 */
export function buildDashboard(options: DashboardOptions): Koa {
  const { db, queues, logins, log, registry = createRegistry("dashboard") } = options;
  const readings = openReadings(db, queues, log, options.clock);
  measurePools(registry, { database: db.pool });
  const app = new Koa();
  app.on("error", (error: unknown) => log.error({ err: error }, "request failed"));
  app.use(async (ctx, next) => {
    if (options.clientAddress) ctx.request.ip = options.clientAddress(ctx.req);
    await next();
  });
  app.use(securityHeaders(boardPath));
  app.use(probes(readings, registry));
  app.use(authenticate(logins, log));
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      log.error({ err: error, path: ctx.path }, "request failed");
      if (await readings.healthy()) refuse(ctx, 500, "The request failed; the log says why.");
      else refuse(ctx, 503, "The database does not answer.");
    }
    if (ctx.status === 404 && ctx.body === undefined) refuse(ctx, 404, "There is no such page.");
  });
  app.use(async (ctx, next) => {
    if (ctx.accepts("html", "json") !== "json") ctx.state["asOf"] = await readings.now();
    await next();
  });
  app.use(boardIsReadOnly);
  app.use(boardWhenVisited(queues));
  app.use(pageRoutes({ db, queues, readings, log, quota: options.quota }));
  return app;
}
