import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Condition } from "@carillon/contract";
import type { Database } from "@carillon/db";
import { silentLogger, type Logger } from "@carillon/kit";
import { connectQueues, prepareQueues, type Queues } from "@carillon/queue";
import {
  createTestDatabase,
  type Gateway,
  redisUrl,
  startGateway,
  type TestDatabase,
} from "@carillon/testkit";
import type Koa from "koa";
import { buildDashboard } from "./app.ts";
import type { Login, Role } from "./credentials.ts";

export const backends = ["postgres", "redis"] as const;
export type BackendKind = (typeof backends)[number];

const logins: readonly Login[] = [
  { role: "operator", user: "olga", password: "open:sesame ä" },
  { role: "viewer", user: "viktor", password: "only looking" },
];

export interface AskOptions extends Omit<RequestInit, "headers"> {
  readonly as?: Role | "nobody";
  readonly headers?: Readonly<Record<string, string>>;
}

/** A listening dashboard with its own database and queues. */
export interface TestDashboard {
  readonly db: Database;
  readonly queues: Queues;
  readonly database: TestDatabase;
  readonly origin: string;
  /** Sends requests, as the operator by default; does not follow redirects. */
  readonly ask: (path: string, options?: AskOptions) => Promise<Response>;
  readonly json: (path: string, options?: AskOptions) => Promise<unknown>;
  /** Posts a form, and asks for JSON. */
  readonly post: (
    path: string,
    fields: Record<string, string>,
    options?: AskOptions,
  ) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** The header of HTTP Basic. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** For `before`: skips the tests visibly without Redis. */
export function needBackend(kind: BackendKind, context: { skip(): never }): void {
  if (kind === "redis" && !redisUrl()) context.skip();
}

/** Starts a dashboard. @param options overrides */
export async function openDashboard(
  kind: BackendKind = "postgres",
  options: {
    log?: Logger;
    databaseUrl?: (url: string) => string | Promise<string>;
    quota?: number;
  } = {},
): Promise<TestDashboard> {
  const log = options.log ?? silentLogger;
  const database = await createTestDatabase();
  const config = {
    databaseUrl: database.url,
    log,
    ...(kind === "redis" ? { redisUrl: redisUrl(), redisPrefix: database.name } : {}),
  };
  await prepareQueues(config);
  const queues = await connectQueues(config);
  const db = await database.connect({ max: 4 });
  const app = buildDashboard({ db, queues, logins, log, quota: options.quota });
  const server = await serve(app);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const ask = (path: string, { as = "operator", headers = {}, ...init }: AskOptions = {}) => {
    const login = logins.find(({ role }) => role === as);
    const authorization = login ? { authorization: basic(login.user, login.password) } : {};
    return fetch(origin + path, {
      redirect: "manual",
      ...init,
      headers: { ...authorization, ...headers },
    });
  };
  const json = { accept: "application/json" };
  return {
    db,
    queues,
    database,
    origin,
    ask,
    json: async (path, options = {}) =>
      (await ask(path, { ...options, headers: { ...json, ...options.headers } })).json(),
    post: (path, fields, options = {}) =>
      ask(path, {
        method: "POST",
        body: new URLSearchParams(fields),
        ...options,
        headers: { ...json, ...options.headers },
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      if (kind === "redis") {
        await Promise.all(queues.bullQueues().map((queue) => queue.obliterate({ force: true })));
      }
      await queues.close();
      await database.drop();
    },
  };
}

/** Lets an app listen on a free port. */
export async function serve(app: Koa): Promise<Server> {
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** A dashboard for the tests of the enclosing `describe`. */
export function useDashboard(
  kind: BackendKind = "postgres",
  options: { quota?: number } = {},
): () => TestDashboard {
  let dashboard: TestDashboard | undefined;
  before("start a dashboard", async function () {
    needBackend(kind, this);
    dashboard = await openDashboard(kind, options);
  });
  after("stop the dashboard", () => dashboard?.close());
  return () => {
    if (!dashboard) throw new Error("the dashboard runs only during the tests");
    return dashboard;
  };
}

/** Turns a row of `scheduled_messages` into a withheld message. */
export async function withhold(
  db: Database,
  id: number,
  condition: Condition,
  replyId?: number,
): Promise<void> {
  const row = await db.prisma.scheduledMessage.delete({ where: { id } });
  const { realmId, senderId, recipientId, channelId, topic, content, deliverAt } = row;
  const place = { realmId, senderId, recipientId, channelId, topic };
  const reply = replyId === undefined ? {} : { messageId: replyId };
  await db.prisma.withheldMessage.create({
    data: { scheduledMessageId: id, ...place, content, deliverAt, condition, ...reply },
  });
}

/** Starts a gateway on the dashboard's database for the tests of the enclosing `describe`. */
export function useGatewayOf(dashboard: () => TestDashboard): () => Gateway {
  let gateway: Gateway | undefined;
  before("start a gateway", async () => {
    gateway = await startGateway(dashboard().db);
  });
  after(() => gateway?.close());
  return () => {
    if (!gateway) throw new Error("the gateway runs only during the tests");
    return gateway;
  };
}
