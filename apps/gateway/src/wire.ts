import { updateBotStorage, uploadFile } from "@carillon/contract";
import type { Database, PostCommitBus } from "@carillon/db";
import {
  authenticate,
  eventPresenter,
  findEarlierOutcome,
  keyHolders,
  readableFiles as loadReadableFiles,
  recordVisits,
  type Guesses,
  type LoggedIn,
} from "@carillon/domain";
import {
  connectWakeUps,
  EventHub,
  type HubOptions,
  type Presenter,
  type WakeUps,
} from "@carillon/events";
import type { FileStore } from "@carillon/files";
import type { Logger, RateRule } from "@carillon/kit";
import type { Site } from "@carillon/model";
import type { BouncerClient } from "@carillon/push";
import { type AfterCommitPublisher, publishJobsAfterCommit } from "@carillon/scheduling";
import type { Queues } from "@carillon/queue";
import type Koa from "koa";
import { buildApp, type AppOptions } from "./app.ts";
import { fileIntake } from "./file-intake.ts";
import type { GroupBounds } from "./group-commit/batch-handler.ts";
import { GroupCommit } from "./group-commit/group-commit.ts";
import { KeyedRequests } from "./http/keyed-requests.ts";
import { loadHandlers } from "./http/load-handlers.ts";
import { tusHeaders } from "./http/tus-headers.ts";
import { type MailLimits, unlimitedMails } from "./limits/mail-limiter.ts";
import { movedTo } from "./moved-organizations.ts";
import { ObjectKeys } from "./object-keys.ts";
import { PictureRequests } from "./picture-requests.ts";
import { bindServices, type Services } from "./services.ts";
import { SharedLookUp } from "./shared-look-up.ts";
import { IdentityClient } from "./sign-in/identity-client.ts";
import type { TokenVerifier } from "./sign-in/token-verifier.ts";
import { WebhookCounts } from "./webhooks/counts.ts";
import { Visits } from "./visits.ts";

const operationsFolder = new URL("./operations", import.meta.url);

/** The parts of a gateway: its process makes them from variables, a test as it needs them. */
export interface GatewayParts {
  readonly db: Database;
  /** Notifies the gateway of commits; the database's own unless given. */
  readonly postCommit?: PostCommitBus | undefined;
  readonly site: Site;
  readonly log: Logger;
  /** Without them delivery jobs and intents are left to the relay. */
  readonly queues: Queues | undefined;
  /** If given, wake-ups go through Redis. */
  readonly redisUrl: string | undefined;
  readonly guesses: Guesses;
  /** Unless given, mails are unlimited. */
  readonly mails?: MailLimits | undefined;
  /** Maximum mails with invitations of an organization in a time; without limit unless given. */
  readonly inviteRules?: readonly RateRule[] | undefined;
  /** Verifies signed tokens; unless given none are accepted. */
  readonly tokens?: TokenVerifier | undefined;
  /** Milliseconds for the calls of the identity provider in one step of a sign-in; 10,000 unless given. */
  readonly identityMs?: number | undefined;
  /** Characters that one bot may store. */
  readonly botStorageLimit: number;
  /** Holds uploaded files. */
  readonly files: FileStore;
  /** Undefined if no push service is configured. */
  readonly bouncer?: BouncerClient | undefined;
  /** Timing of polls. */
  readonly polls?:
    | Partial<Pick<HubOptions<unknown>, "limits" | "logReadMs" | "heartbeatMs">>
    | undefined;
  /** Bounds of batches and of waiting requests. */
  readonly groupBounds?: Partial<GroupBounds> | undefined;
  /** Milliseconds that a request waits for another one with its `Idempotency-Key`; 5,000 unless given. */
  readonly keyWaitMs?: number | undefined;
  /** Milliseconds that a request waits for its pictures; 20,000 unless given. */
  readonly pictureWaitMs?: number | undefined;
  /** Checks every event that polls return. For tests only. */
  readonly checkEvents?: <Context>(presenter: Presenter<Context>) => Presenter<Context>;
}

/** The assembled gateway. */
export interface WiredGateway {
  readonly services: Services;
  readonly events: EventHub<unknown>;
  readonly wakeUps: WakeUps;
  readonly published: AfterCommitPublisher;
  readonly group: GroupCommit;
  readonly keyed: KeyedRequests;
  readonly visits: Visits;
  readonly objectKeys: ObjectKeys;
}

/** Maximum files in one statement: the access check of a file in 10,000 messages may take 5 ms. */
const filesInOneLookUp = 16;

/** Assembles the services; polls receive commits from here on. */
export function wireServices(parts: GatewayParts): WiredGateway {
  const { db, postCommit, site, log, queues, redisUrl, guesses, polls, checkEvents } = parts;
  const { botStorageLimit, files, bouncer, mails = unlimitedMails, inviteRules = [] } = parts;
  const presenter = eventPresenter(db, site);
  const events = new EventHub({
    db,
    presenter: checkEvents ? checkEvents(presenter) : presenter,
    log,
    ...polls,
  });
  const pictures = new PictureRequests({ db, log, waitMs: parts.pictureWaitMs });
  const published = publishJobsAfterCommit({ db, postCommit, queues, log });
  const wakeUps = connectWakeUps({
    db,
    postCommit,
    redisUrl,
    log,
    onWake: (realmId) => {
      events.wake(realmId);
      pictures.wake(realmId);
    },
    onReconnected: () => void events.readGrownLogs().catch(() => {}),
  });
  const group = new GroupCommit({ db, site, log, bounds: parts.groupBounds });
  const keys = new SharedLookUp(db, keyHolders);
  const readableFiles = new SharedLookUp(db, loadReadableFiles, filesInOneLookUp);
  const visits = new SharedLookUp(db, recordVisits);
  const objectKeys = new ObjectKeys(db);
  const intake = fileIntake({
    db,
    store: files,
    keys: objectKeys,
    log,
    quota: site.uploads.quota,
  });
  const identities =
    site.identityProvider &&
    new IdentityClient(site.identityProvider, { timeoutMs: parts.identityMs });
  const services = {
    db,
    site,
    keys,
    readableFiles,
    visits,
    events,
    guesses,
    mails,
    inviteRules,
    botStorageLimit,
    identities,
    tokens: parts.tokens,
    files,
    intake,
    bouncer,
    group,
    pictures,
    webhooks: new WebhookCounts(),
    log,
  };
  const keyed = new KeyedRequests(parts.keyWaitMs);
  return { services, events, wakeUps, published, group, keyed, visits: new Visits(db), objectKeys };
}

/** Options that differ between the app of a process and that of a test. */
export type WiredAppOptions = Partial<Omit<AppOptions<Services, LoggedIn>, "services" | "log">>;

/**
 * Builds the app on the services, with every handler unless others are given.
 * @throws StartupError when operations and handlers do not match
 */
export async function wireApp(
  { services, keyed, visits }: WiredGateway,
  options: WiredAppOptions = {},
): Promise<Koa> {
  const { db, site, botStorageLimit, intake, log } = services;
  const { maxFileSize } = site.uploads;
  return buildApp<Services, LoggedIn>({
    services,
    bindServices,
    authenticate: async (credentials, bound) => {
      const caller = await authenticate((digest) => bound.keys.find(digest), site, credentials);
      if (!("refused" in caller)) await visits.record(caller, bound.visits);
      return caller;
    },
    log,
    health: async () => {
      if (!(await db.answers())) throw new Error("the database does not answer");
    },
    keyed,
    findEarlierOutcome: (key, bound) => findEarlierOutcome(bound.db, key),
    bodyLimits: new Map([
      [updateBotStorage.id, storageBodyLimit(botStorageLimit)],
      [uploadFile.id, maxFileSize],
    ]),
    headersOfPaths: tusHeaders(maxFileSize),
    files: intake,
    movedTo: movedTo(db, log, site.url),
    ...options,
    handlers: options.handlers ?? (await loadHandlers<Services>(operationsFolder)),
  });
}

/**
 * Returns the body limit in bytes for as many percent-encoded four-byte characters, with the form around them
 * (http-contract.md §8).
 */
function storageBodyLimit(characters: number): number {
  return 12 * characters + 1024 * 1024;
}
