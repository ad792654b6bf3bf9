import { errors } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import {
  type Account,
  currentActor,
  loadAccounts,
  loadRealm,
  type SendingClient,
  type Site,
} from "@carillon/model";

import { singleRequest } from "../../batches/batch-outcome.ts";
import { sendBatch } from "../../messages/send/send-batch.ts";
import { openSeriesFor } from "./access.ts";
import { recordStateChange } from "./change-state.ts";
import { storable } from "./plan-occurrences.ts";
import { localDay } from "./schedule.ts";
import type { SeriesRow } from "./series-row.ts";

/**
 * Sends the message of a series now, from its author (once-and-again.md §3.1). The planned occurrence stays.
 * @returns the id of the message
 * @throws ApiError if the account may not send the message (scheduled-messages.md §0.4); with status 404 if it may not see
 * the series
 */
export async function sendSeries(
  tx: Tx,
  site: Site,
  actor: Account,
  client: SendingClient,
  id: number,
): Promise<number> {
  await currentActor(tx, actor);
  const { series } = await openSeriesFor(tx, actor, id, "manage");
  const realm = await loadRealm(tx, actor.realmId);
  const author = (await loadAccounts(tx, realm.id, [series.authorId])).get(series.authorId);
  if (!author?.isActive)
    throw errors.badRequest("The author of the series is deactivated: take the series over first");
  const { topic, content } = storable(
    series,
    { day: await localDay(series.timezone, realm.now) },
    realm,
  );
  const input = {
    ...recipientOf(series),
    topic,
    content,
    readBySender: series.readBySender,
    queueId: undefined,
    localId: undefined,
    isAutomatic: true,
  };
  const [outcome] = await sendBatch(tx, site, [{ actor: author, client, input }], singleRequest);
  if (outcome?.kind === "rejected") throw outcome.error;
  if (outcome?.kind !== "committed")
    throw new Error(`a single message has outcome ${outcome?.kind}, not committed`);
  recordStateChange(tx, actor.id, series, "message_series_sent", {
    message_id: outcome.result.id,
  });
  return outcome.result.id;
}

function recipientOf({ channelId, memberIds }: SeriesRow) {
  return channelId === null
    ? { type: "direct" as const, to: memberIds ?? [] }
    : { type: "channel" as const, to: channelId };
}
