import { type Account, type Site, loadAccounts, loadMemberships, loadRealm } from "@carillon/model";
import {
  errors,
  isGuest,
  clientCapabilities,
  type ClientCapability,
  type ProgramNeed,
} from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import {
  eventId,
  evictQueues,
  insertQueue,
  readQueueBegin,
  type QueueOptions,
} from "@carillon/events";

import { checkNarrow } from "../event-formats/narrow.ts";
import { serverVersion } from "../server.ts";
import type { Section, ShownIntegration, SnapshotContext } from "../snapshot-section.ts";
import { wantedSections } from "./sections.ts";

export interface RegisterInput {
  /** Types of events for the queue; undefined for all. */
  readonly eventTypes: readonly string[] | undefined;
  /** Sections of the snapshot; undefined for those of `eventTypes`. */
  readonly fetchEventTypes: readonly string[] | undefined;
  /** As sent; unknown names are ignored. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** Needs of the client program. */
  readonly needs: readonly ProgramNeed[];
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  /** Days */
  readonly presenceHistoryLimit: number;
  readonly includeSubscribers: boolean | "partial";
  readonly allPublicChannels: boolean;
  /** As sent. */
  readonly narrow: readonly unknown[];
  /** Seconds */
  readonly idleTimeout: number;
  /** The integrations of incoming webhooks. */
  readonly webhookIntegrations: readonly ShownIntegration[];
}

/** The response; the sections of the snapshot are further fields of it. */
export type Registration = typeof serverVersion & {
  readonly queue_id: string;
  /** For the first poll. */
  readonly last_event_id: number;
  /** Seconds */
  readonly idle_queue_timeout_secs: number;
};

/**
 * Registers a queue, and returns it with the initial snapshot (events.md §1, §5.2). The queue begins at the log
 * position of the snapshot: the snapshot contains every change up to it, the queue every change after it. The queue is
 * inserted afterwards in its own transaction, because a REPEATABLE READ transaction fails when it locks an account that
 * has changed since.
 * @throws ApiError `BAD_REQUEST` for an invalid narrow or capability, and if a guest requests all public channels
 */
export async function registerQueue(
  db: Database,
  site: Site,
  actor: Account,
  input: RegisterInput,
): Promise<Registration> {
  const options: QueueOptions = {
    eventTypes: input.eventTypes ? plausibleTypes(input.eventTypes) : null,
    allPublicChannels: input.allPublicChannels,
    applyMarkdown: input.applyMarkdown,
    clientGravatar: input.clientGravatar,
    slimPresence: input.slimPresence,
    narrow: checkNarrow(input.narrow),
    capabilities: capabilitiesOf(input.clientCapabilities),
    ...(input.needs.length > 0 ? { needs: input.needs } : {}),
  };
  if (options.allPublicChannels && isGuest(actor))
    throw errors.badRequest("Guests cannot ask for all_public_streams");
  for (;;) {
    const [begin, fields] = await db.transaction(
      async (tx) => {
        const [place, context] = await Promise.all([
          readQueueBegin(tx, actor.id),
          snapshotContext(tx, site, actor, input, options),
        ]);
        return [place, await snapshot(context, wantedSections(context.named))] as const;
      },
      { mode: "repeatable read read only" },
    );
    const { realmId, id: userId } = actor;
    const { idleTimeout } = input;
    const queueId = await db.transaction((tx) =>
      insertQueue(tx, { realmId, userId, ...begin, options, idleTimeout }),
    );
    // The account was deactivated meanwhile: the next attempt is rejected, or takes a snapshot after the reactivation.
    if (queueId === undefined) continue;
    // Runs in a separate statement: of concurrent registrations, the last one sees all the others.
    await evictQueues(db, userId, queueId);
    return {
      queue_id: queueId,
      last_event_id: eventId(begin.baseSeq),
      idle_queue_timeout_secs: idleTimeout,
      ...serverVersion,
      ...fields,
    };
  }
}

/** Reads all facts again in the snapshot transaction: earlier reads belong to another snapshot. */
async function snapshotContext(
  tx: Tx,
  site: Site,
  { id, realmId }: Account,
  input: RegisterInput,
  { capabilities }: QueueOptions,
): Promise<SnapshotContext> {
  const [realm, accounts, memberships] = await Promise.all([
    loadRealm(tx, realmId),
    loadAccounts(tx, realmId, [id]),
    loadMemberships(tx, [id]),
  ]);
  const actor = accounts.get(id);
  // Deactivated since authentication.
  if (!actor?.isActive) throw errors.unauthorized();
  const named = input.fetchEventTypes ?? input.eventTypes;
  return {
    tx,
    site,
    realm,
    actor,
    memberships,
    clientGravatar: input.clientGravatar,
    slimPresence: input.slimPresence,
    presenceHistoryLimit: input.presenceHistoryLimit,
    includeSubscribers: input.includeSubscribers,
    capabilities: new Set(capabilities),
    needs: input.needs,
    webhookIntegrations: input.webhookIntegrations,
    named: named && new Set(named),
  };
}

async function snapshot(
  context: SnapshotContext,
  wanted: readonly Section[],
): Promise<Record<string, unknown>> {
  const loaded = await Promise.all(wanted.map((section) => section.load(context)));
  return Object.assign({}, ...loaded) as Record<string, unknown>;
}

/** Maximum types that a queue stores: ten times the number of existing types. */
const maxTypes = 400;

/** Removes invalid and duplicate names: each event is compared with all of them. */
function plausibleTypes(given: readonly string[]): string[] {
  return [...new Set(given.filter((name) => /^[a-z_]{1,60}$/.test(name)))].slice(0, maxTypes);
}

/**
 * Returns the capabilities that are true (events.md §1.1).
 * @throws ApiError `BAD_REQUEST` for a value that is not a boolean
 */
function capabilitiesOf(given: Readonly<Record<string, unknown>>): ClientCapability[] {
  return clientCapabilities.filter((name) => {
    const value = given[name] === undefined ? false : given[name];
    if (typeof value !== "boolean")
      throw errors.badRequest(`client_capabilities: ${name} must be true or false`);
    return value;
  });
}
