import { clientCapabilities, roles } from "@carillon/contract";
import { statement, typed, type Tx } from "@carillon/db";
import { type BatchQueues, type EventBatch, type EventQueue, readBatch } from "@carillon/events";
import type { NarrowTerm } from "@carillon/events";
import type { Logger } from "@carillon/kit";
import type { Site } from "@carillon/model";

import { eventPresenter } from "../register/event-presenter.ts";
import type { ClaimedSubscription } from "./claim-batch.ts";
import type { EarlierFilters, EventFilters } from "./subscription-row.ts";

const read = statement({
  name: "event-subscription-filters-read",
  text: `SELECT s.event_types AS "eventTypes", s.narrow, s.all_public_channels AS "allPublicChannels",
      s.earlier_filters AS earlier, u.role
    FROM event_subscription s JOIN users u ON u.id = s.bot_id WHERE s.id = $1`,
  overrides: {
    eventTypes: typed<string[]>().notNull,
    narrow: typed<NarrowTerm[]>(),
    earlier: typed<EarlierFilters[]>(),
  },
});

/**
 * Reads a batch of the events after `range.after`, as the subscription's bot would get them from `GET /events`.
 * @param tx a REPEATABLE READ, READ ONLY transaction
 * @param range `until`: the end of a batch that was begun before
 * @returns undefined if the subscription was deleted
 */
export function selectBatch(
  tx: Tx,
  { site, log }: { readonly site: Site; readonly log: Logger },
  subscription: ClaimedSubscription,
  range: { readonly after: number; readonly until?: number | undefined },
): Promise<EventBatch | undefined> {
  const { realmId } = subscription;
  const parts = { presenter: eventPresenter(tx, site), log };
  return readBatch(tx, parts, readQueues(tx, subscription), { ...range, realmId });
}

/** Reads the queues that stand for the filters of a subscription; undefined if it was deleted. */
async function readQueues(
  tx: Tx,
  { subscriptionId, realmId, botId }: ClaimedSubscription,
): Promise<BatchQueues | undefined> {
  const found = await tx.first(read, [subscriptionId]);
  if (!found) return undefined;
  const { earlier, role, ...now } = found;
  const mayListenToAll = role !== roles.guest;
  const queueOf = ({ eventTypes, narrow, allPublicChannels }: EventFilters): EventQueue => ({
    id: "",
    realmId,
    userId: botId,
    viewerRole: role,
    baseSeq: 0,
    idleTimeout: 0,
    options: {
      eventTypes,
      narrow,
      allPublicChannels: allPublicChannels && mayListenToAll,
      applyMarkdown: false,
      clientGravatar: false,
      slimPresence: true,
      capabilities: clientCapabilities,
    },
  });
  const queues = [...earlier, { ...now, until: Number.POSITIVE_INFINITY }].map((filters) => ({
    until: filters.until,
    queue: queueOf(filters),
  }));
  const last = queueOf(now);
  return {
    queueAt: (seq) => queues.find(({ until }) => seq <= until)?.queue ?? last,
    allPublicChannels: queues.some(({ queue }) => queue.options.allPublicChannels),
  };
}
