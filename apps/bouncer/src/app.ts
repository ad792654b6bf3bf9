import type { IncomingMessage } from "node:http";
import { bouncerPaths } from "@carillon/push";
import Koa from "koa";
import { authenticate } from "./http/authenticate.ts";
import { envelope, type RequestNotes } from "./http/envelope.ts";
import { Limiter } from "./http/limit.ts";
import { refusals } from "./http/refusal.ts";
import { UnprovenCredentials } from "./http/unproven-credentials.ts";
import { notify } from "./notify/notify.ts";
import { register } from "./register/register.ts";
import type { Services } from "./services.ts";
import type { Server } from "./store/servers.ts";

type Call = (
  services: Services,
  server: Server,
  request: IncomingMessage,
  notes: RequestNotes,
) => Promise<object>;

const calls: ReadonlyMap<string, Call> = new Map<string, Call>([
  [bouncerPaths.register, register],
  [bouncerPaths.notify, notify],
]);

/** Builds the bouncer as a Koa application. It never listens. */
export function buildBouncer(services: Services): Koa {
  const { store } = services;
  const limiter = new Limiter();
  const unproven = new UnprovenCredentials(services.clock);
  const addressOf =
    services.clientAddress ?? (({ socket }: IncomingMessage) => socket.remoteAddress ?? "");
  const app = new Koa();
  // Ignores disconnected clients; every other error is answered, and logged with its answer.
  app.on("error", () => {});
  app.use(async (ctx, next) => {
    if (ctx.path !== "/health") return next();
    const well = await store.answers();
    ctx.status = well ? 200 : 503;
    ctx.body = { status: well ? "ok" : "unavailable" };
  });
  app.use(envelope(services));
  app.use(async (ctx) => {
    const call = calls.get(ctx.path);
    if (!call) throw refusals.notFound();
    const notes = ctx.state as RequestNotes;
    notes.path = ctx.path;
    if (ctx.method !== "POST") throw refusals.methodNotAllowed("POST");
    const { authorization } = ctx.req.headers;
    const server = await authenticate(store, unproven, addressOf(ctx.req), authorization);
    notes.server = server.id;
    await limiter.admit(store, server);
    ctx.body = { result: "success", msg: "", ...(await call(services, server, ctx.req, notes)) };
  });
  return app;
}
