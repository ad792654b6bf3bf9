import type { Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import type { Queues } from "@carillon/queue";
import Koa from "koa";
import { boardIsReadOnly, boardMiddleware, boardPath } from "./board.ts";
import type { Login } from "./credentials.ts";
import { authenticate } from "./http/authenticate.ts";
import { securityHeaders } from "./http/security-headers.ts";

export interface DashboardOptions {
  readonly db: Database;
  readonly queues: Queues;
  readonly logins: readonly Login[];
  readonly log: Logger;
}

/** The dashboard as a Koa application; it never listens. */
export function buildDashboard({ queues, logins, log }: DashboardOptions): Koa {
  const app = new Koa();
  app.on("error", (error: unknown) => log.error({ err: error }, "a request failed unexpectedly"));
  app.use(securityHeaders(boardPath));
  app.use(authenticate(logins, log));
  app.use(boardIsReadOnly);
  app.use(boardMiddleware(queues));
  return app;
}
