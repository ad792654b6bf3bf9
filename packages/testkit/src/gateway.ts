import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Operation } from "@carillon/contract";
import { type Database, PostCommitBus, type PostCommitTopic } from "@carillon/db";
import { unlimitedGuesses, type Guesses } from "@carillon/domain";
import type { Site } from "@carillon/model";
import { type EventHub, eventsLogged } from "@carillon/events";
import type { FileStore } from "@carillon/files";
import type { GatewayParts, Handler, Services, WiredAppOptions } from "@carillon/gateway";
import type { PendingDelivery } from "@carillon/jobs";
import type { RateRule } from "@carillon/kit";
import type { BouncerClient } from "@carillon/push";
import { intentsRecorded } from "@carillon/outbox";
import type { Queues } from "@carillon/queue";
import { deliveryScheduled } from "@carillon/scheduling";
import type { ApiCredentials } from "./api-client.ts";
import { checkedPresenter } from "./checked-presenter.ts";
import type { TestAccount } from "./factories/account.ts";
import { clientOf, type GatewayClient } from "./gateway-client.ts";
import { later } from "./later.ts";
import { captureLog, type LogLine } from "./log-capture.ts";
import { countedFor, uncounted } from "./query-counter.ts";
import { testSite } from "./site.ts";
import { testFiles } from "./test-files.ts";

export interface GatewayOptions {
  readonly site?: Partial<Site>;
  /** Default: any free port. */
  readonly port?: number;
  /** Where delivery jobs are added; default: they are only recorded in `deliveries`. */
  readonly queues?: Queues;
  /** If given, wake-up notifications go over Redis. */
  readonly redisUrl?: string;
  /** Default: unlimited password attempts. */
  readonly guesses?: Guesses;
  /** Default: unlimited requests that may send mails. */
  readonly mails?: GatewayParts["mails"];
  /** Maximum mails with invitations in a time; without limit unless given. */
  readonly inviteRules?: readonly RateRule[];
  /** Verifies signed tokens; default: none are accepted. */
  readonly tokens?: GatewayParts["tokens"];
  /** Milliseconds for the calls of the identity provider in one step of a sign-in; default 10,000. */
  readonly identityMs?: number;
  /** Characters that one bot may store; default 10,000,000. */
  readonly botStorageLimit?: number;
  /** Holds uploaded files; default: a temporary folder. */
  readonly files?: FileStore;
  /** Default: no push service. */
  readonly bouncer?: BouncerClient;
  /** How polls wait. */
  readonly events?: GatewayParts["polls"];
  /** Concurrency limits of batched writes. */
  readonly groupBounds?: GatewayParts["groupBounds"];
  /** Milliseconds that a request waits for another one with its `Idempotency-Key`; default 5,000. */
  readonly keyWaitMs?: number;
  /** Milliseconds that a request waits for its pictures; default 20,000. */
  readonly pictureWaitMs?: number;
  /** Default: the handlers below `apps/gateway/src/operations`. */
  readonly handlers?: readonly Handler<Services>[];
  /** Default: the operations of the given handlers, else all. */
  readonly operations?: readonly Operation[];
  /** Other options of the app. */
  readonly app?: Omit<WiredAppOptions, "handlers" | "operations">;
}

/** A real gateway in this process, on its own port. */
export interface Gateway {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly services: Services;
  /** The event hub, where polls wait. */
  readonly events: EventHub<unknown>;
  /** Requests of an account. */
  as(account: TestAccount | ApiCredentials): GatewayClient;
  /** Requests without credentials. */
  readonly anonymous: GatewayClient;
  /** The rows whose delivery jobs were requested after commits, oldest first. */
  readonly deliveries: PendingDelivery[];
  /** The gateway's log, oldest first. */
  readonly logLines: LogLine[];
  /** The raw log lines, to search for secrets. */
  logText(): string;
  /** Closes the gateway, including open requests. */
  close(): Promise<void>;
}

/** Starts a gateway on the database. */
export async function startGateway(db: Database, options: GatewayOptions = {}): Promise<Gateway> {
  // Imported here, so that tests of lower packages load neither Koa nor the gateway.
  const { createGatewayServer, wireApp, wireServices } = await import("@carillon/gateway");
  const captured = captureLog();
  const deliveries: PendingDelivery[] = [];
  const own = uncountedBus(db.postCommit);
  own.postCommit.subscribe(deliveryScheduled, (delivery) => deliveries.push(delivery));
  const wired = wireServices({
    db,
    postCommit: own.postCommit,
    site: testSite({ pushConfigured: options.bouncer !== undefined, ...options.site }),
    log: captured.log,
    queues: options.queues,
    redisUrl: options.redisUrl,
    guesses: options.guesses ?? unlimitedGuesses,
    mails: options.mails,
    inviteRules: options.inviteRules,
    tokens: options.tokens,
    identityMs: options.identityMs,
    botStorageLimit: options.botStorageLimit ?? 10_000_000,
    files: options.files ?? testFiles(),
    bouncer: options.bouncer,
    polls: options.events,
    groupBounds: options.groupBounds,
    keyWaitMs: options.keyWaitMs,
    pictureWaitMs: options.pictureWaitMs,
    checkEvents: checkedPresenter,
  });
  const { services, events, wakeUps, published } = wired;
  const { handlers } = options;
  const operations = options.operations ?? handlers?.map((handler) => handler.operation);
  const app = await wireApp(wired, {
    checkResults: true,
    ...(handlers && { handlers }),
    ...(operations && { operations }),
    ...options.app,
  });
  app.middleware.unshift((ctx, next) => countedFor(ctx.req.headers, next));
  const server = createGatewayServer(app);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    services,
    events,
    as: (account) => clientOf(url, credentialsOf(account)),
    anonymous: clientOf(url, undefined),
    deliveries,
    logLines: captured.lines,
    logText: captured.text,
    async close() {
      if (!server.listening) return;
      await events.close();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
      own.unsubscribe();
      await Promise.all([wakeUps.close(), published.close()]);
    },
  };
}

/** A bus for one gateway. Its work after commits is not counted as queries of the request. */
function uncountedBus(from: PostCommitBus): {
  postCommit: PostCommitBus;
  unsubscribe: () => void;
} {
  const postCommit = new PostCommitBus();
  const forward = <Message>(topic: PostCommitTopic<Message>) =>
    from.subscribe(topic, (message) => uncounted(() => postCommit.publish(topic, message)));
  const subscriptions = [
    forward(eventsLogged),
    forward(deliveryScheduled),
    forward(intentsRecorded),
  ];
  return { postCommit, unsubscribe: () => subscriptions.forEach((end) => end()) };
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

/** An account authenticates with its own address, whatever address is shown to others. */
function credentialsOf(account: TestAccount | ApiCredentials): ApiCredentials {
  return "deliveryEmail" in account ? { ...account, email: account.deliveryEmail } : account;
}
