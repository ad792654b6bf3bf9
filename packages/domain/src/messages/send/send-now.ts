import type { Account, SendingClient, Site } from "@carillon/model";
import { ApiError, errors } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { singleRequest } from "../../batches/batch-outcome.ts";
import { type BotTrouble, notifyBotOwner } from "./bot-trouble.ts";
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
 * @throws ApiError if the message may not be sent (scheduled-messages.md §0.4); nothing is stored then
 */
export async function sendNow(
  sending: Sending,
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<SentMessage> {
  const { write = (request) => sendSingle(sending, request) } = sending;
  try {
    return await write({ actor, client, input });
  } catch (error) {
    await reportMissingChannel(sending, actor, error);
    throw error;
  }
}

/**
 * Notifies a bot's owner if the error says that the bot's channel does not exist, in a separate transaction.
 * @returns whether the error says this
 */
export async function reportMissingChannel(
  sending: Pick<Sending, "db" | "log">,
  actor: Account,
  error: unknown,
): Promise<boolean> {
  const channel = missingChannel(error);
  if (channel === undefined) return false;
  if (actor.isBot) await reportToOwner(sending, actor, { channel, what: "missing" });
  return true;
}

/** Notifies a bot's owner in a separate transaction. A failure is logged: the answer to the bot does not depend on it. */
export async function reportToOwner(
  { db, log }: Pick<Sending, "db" | "log">,
  bot: Account,
  trouble: BotTrouble,
): Promise<void> {
  await db
    .transaction((tx) => notifyBotOwner(tx, bot, trouble))
    .catch((failure: unknown) =>
      log.error({ err: failure, bot: bot.id }, "bot owner could not be notified"),
    );
}

/**
 * Maximum copies of the messages of one request. Writing so many takes about a second, and the other messages of the
 * organization wait.
 */
const maxCopiesTogether = 100_000;

/**
 * Sends messages of one request in its transaction: all or none.
 * @throws ApiError the refusal of the first message that is refused
 */
export async function sendTogether(
  tx: Tx,
  site: Site,
  requests: readonly SendRequest[],
): Promise<void> {
  const context = { ...singleRequest, maxCopies: maxCopiesTogether };
  for (const outcome of await sendBatch(tx, site, requests, context)) {
    if (outcome.kind === "rejected") throw outcome.error;
    if (outcome.kind === "retryLater")
      throw errors.badRequest(
        `The messages of one request must not have more than ${maxCopiesTogether} receivers together`,
      );
    if (outcome.kind !== "committed")
      throw new Error(`a message of a single request has outcome ${outcome.kind}, not committed`);
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
