import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Operation } from "@carillon/contract";
import { type Database, type LeftBehind, Outbox } from "@carillon/db";
import {
  type Guesses,
  type LoggedIn,
  anyGuesses,
  authenticate,
  eventPresenter,
} from "@carillon/domain";
import type { Site } from "@carillon/model";
import { EventHub, type HubOptions } from "@carillon/events";
import type { AppOptions, Handler } from "@carillon/gateway";
import type { Alarm } from "@carillon/jobs";
import type { Logger } from "@carillon/kit";
import { serveOutbox, type Queues } from "@carillon/queue";
import type { ApiCredentials } from "./api-client.ts";
import type { TestAccount } from "./factories/account.ts";
import { clientOf, type GatewayClient } from "./gateway-client.ts";
import { later } from "./later.ts";
import { captureLog, type LogLine } from "./log-capture.ts";
import { countedFor, uncounted } from "./query-counter.ts";
import { testSite } from "./site.ts";

/** What the tests' gateway hands to the handlers: the same as `apps/gateway/src/services.ts`. */
interface Services {
  readonly db: Database;
  readonly site: Site;
  readonly events: EventHub<unknown>;
  readonly guesses: Guesses;
  readonly log: Logger;
}

export interface GatewayOptions {
  readonly site?: Partial<Site>;
  /** Where the alarms of scheduled messages go; unless given they are only kept in `alarms`. */
  readonly queues?: Queues;
  /** Given, wake-ups go over Redis. */
  readonly redisUrl?: string;
  /** Unless given, passwords may be tried as often as one likes. */
  readonly guesses?: Guesses;
  /** How polls wait. */
  readonly events?: Partial<Pick<HubOptions<unknown>, "limits" | "lookMs" | "heartbeatMs">>;
  /** Default: what lies below `apps/gateway/src/operations`. */
  readonly handlers?: readonly Handler<Services>[];
  /** Default: those that have a handler, so that one missing handler fails one test and not all. */
  readonly operations?: readonly Operation[];
  /** Everything else that the app takes. */
  readonly app?: Partial<
    Omit<AppOptions<Services, LoggedIn>, "services" | "handlers" | "operations">
  >;
}

/** A gateway that listens on a port of its own, with everything real but the process. */
export interface Gateway {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly services: Services;
  /** Requests of an account. */
  as(account: TestAccount | ApiCredentials): GatewayClient;
  /** Requests without credentials. */
  readonly anonymous: GatewayClient;
  /** The alarms that were set, oldest first. */
  readonly alarms: Alarm[];
  /** What the gateway has logged, oldest first. */
  readonly logLines: LogLine[];
  /** The same as text, to look for secrets in. */
  logText(): string;
  /** Cuts off open requests. */
  close(): Promise<void>;
}

/** Starts a gateway on the database. */
export async function startGateway(db: Database, options: GatewayOptions = {}): Promise<Gateway> {
  // Only here: tests of lower packages need neither Koa nor a gateway that compiles.
  const { buildApp, createGatewayServer } = await import("@carillon/gateway");
  const handlers = options.handlers ?? (await allHandlers());
  const operations = options.operations ?? handlers.map((handler) => handler.operation);
  const captured = captureLog();
  const { log } = captured;
  const site = testSite(options.site);
  const alarms: Alarm[] = [];
  const own = uncountedOutbox(db.outbox);
  own.outbox.on("alarm", (alarm) => alarms.push(alarm));
  const events = new EventHub({ db, presenter: eventPresenter(db, site), log, ...options.events });
  const outbox = serveOutbox({
    db,
    outbox: own.outbox,
    queues: options.queues,
    redisUrl: options.redisUrl,
    log,
    onRing: (realmId) => events.ring(realmId),
    onReconnected: () => void events.look().catch(() => {}),
  });
  const services = { db, site, events, guesses: options.guesses ?? anyGuesses, log };
  const app = buildApp<Services, LoggedIn>({
    operations,
    handlers,
    services,
    bindServices: (unbound, lifetime) => ({ ...unbound, db: unbound.db.within(lifetime) }),
    authenticate: (credentials, bound) => authenticate(bound.db, site, credentials),
    log,
    checkResults: true,
    health: async () => {
      if (!(await db.answers())) throw new Error("the database does not answer");
    },
    ...options.app,
  });
  app.middleware.unshift((ctx, next) => countedFor(ctx.req.headers, next));
  const server = createGatewayServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    services,
    as: (account) => clientOf(url, credentialsOf(account)),
    anonymous: clientOf(url, undefined),
    alarms,
    logLines: captured.lines,
    logText: captured.text,
    async close() {
      if (!server.listening) return;
      await events.close();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      own.forget();
      await outbox.close();
    },
  };
}

/** Where a gateway of its own hears of commits: what it does then is nothing that the work asks of the database. */
function uncountedOutbox(of: Outbox): { outbox: Outbox; forget: () => void } {
  const outbox = new Outbox();
  const hear = <Kind extends keyof LeftBehind>(kind: Kind) =>
    of.on(kind, (left) => uncounted(() => outbox.tell(kind, left)));
  const listening = [hear("events"), hear("alarm"), hear("intents")];
  return { outbox, forget: () => listening.forEach((forget) => forget()) };
}

/** A gateway on the database for the tests of the enclosing `describe`. */
export function useGateway(db: Database, options?: GatewayOptions): Gateway {
  const { value, set } = later<Gateway>("the gateway");
  let gateway: Gateway | undefined;
  before("start a gateway", async () => {
    gateway = await startGateway(db, options);
    set(gateway);
  });
  after("stop the gateway", async () => {
    set(undefined);
    await gateway?.close();
  });
  return value;
}

/** An account logs in with its own address, whatever others are shown. */
function credentialsOf(account: TestAccount | ApiCredentials): ApiCredentials {
  return "deliveryEmail" in account ? { ...account, email: account.deliveryEmail } : account;
}

let loaded: Promise<Handler<Services>[]> | undefined;

function allHandlers(): Promise<Handler<Services>[]> {
  return (loaded ??= (async () => {
    const { loadHandlers } = await import("@carillon/gateway");
    const folder = new URL("../../../apps/gateway/src/operations", import.meta.url);
    return loadHandlers<Services>(fileURLToPath(folder));
  })());
}
