import type { Account, SendingClient, Site } from "@carillon/model";
import { ApiError } from "@carillon/contract";
import type { Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { singleRequest } from "../../batches/batch-outcome.ts";
import { notifyBotOwner } from "./bot-trouble.ts";
import { sendBatch, type SendInput, type SendRequest } from "./send-batch.ts";
import type { SentMessage } from "./send.ts";

export type { SendInput } from "./send-batch.ts";

interface Sending {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  /** Writes the request in a shared transaction; without it the request runs in its own. */
  readonly write?: (request: SendRequest) => Promise<SentMessage>;
}

/**
 * Sends a message now (scheduled-messages.md §6). If a bot names a channel that does not exist, notifies the bot's
 * owner in a separate transaction, which survives the rejection.
 * @throws ApiError the refusals of §0.4; nothing is stored then
 */
export async function sendNow(
  sending: Sending,
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<SentMessage> {
  const { db, log, write = (request) => sendSingle(sending, request) } = sending;
  try {
    return await write({ actor, client, input });
  } catch (error) {
    const channel = missingChannel(error);
    if (actor.isBot && channel !== undefined)
      await db
        .transaction((tx) => notifyBotOwner(tx, actor, { channel, what: "missing" }))
        .catch((failure: unknown) =>
          log.error({ err: failure, bot: actor.id }, "bot owner could not be notified"),
        );
    throw error;
  }
}

function sendSingle({ db, site }: Sending, request: SendRequest): Promise<SentMessage> {
  return db.transaction(async (tx) => {
    const [outcome] = await sendBatch(tx, site, [request], singleRequest);
    if (outcome?.kind === "rejected") throw outcome.error;
    if (outcome?.kind !== "committed")
      throw new Error(`a single message has outcome ${outcome?.kind}, not committed`);
    return outcome.result;
  });
}

/** The name or id of the channel that an error says does not exist. */
function missingChannel(error: unknown): string | number | undefined {
  if (!(error instanceof ApiError) || error.code !== "STREAM_DOES_NOT_EXIST") return undefined;
  const { stream, stream_id: id } = error.fields as { stream?: string; stream_id?: number };
  return stream ?? id;
}
