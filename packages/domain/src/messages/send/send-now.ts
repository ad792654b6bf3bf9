import type { Account, SendingClient, Site } from "@carillon/model";
import { ApiError } from "@carillon/contract";
import { onItsOwn, type Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";

import { tellBotOwner } from "./bot-trouble.ts";
import { sendTogether, type SendInput, type SendRequest } from "./send-together.ts";
import type { SentMessage } from "./send.ts";

export type { SendInput } from "./send-together.ts";

interface Sending {
  readonly db: Database;
  readonly site: Site;
  readonly log: Logger;
  /** Writes it together with others; in a transaction of its own unless given. */
  readonly write?: (request: SendRequest) => Promise<SentMessage>;
}

/**
 * Sends a message now (scheduled-messages.md §6); a bot's owner hears of a channel that does not exist in a transaction
 * of its own, which outlives the refusal.
 * @throws ApiError the refusals of §0.4; nothing is stored then
 */
export async function sendNow(
  sending: Sending,
  actor: Account,
  client: SendingClient,
  input: SendInput,
): Promise<SentMessage> {
  const { db, log, write = (request) => sendAlone(sending, request) } = sending;
  try {
    return await write({ actor, client, input });
  } catch (error) {
    const channel = missingChannel(error);
    if (actor.isBot && channel !== undefined)
      await db
        .transaction((tx) => tellBotOwner(tx, actor, { channel, what: "missing" }))
        .catch((failure: unknown) =>
          log.error({ err: failure, bot: actor.id }, "a bot's owner could not be told"),
        );
    throw error;
  }
}

function sendAlone({ db, site }: Sending, request: SendRequest): Promise<SentMessage> {
  return db.transaction(async (tx) => {
    const [written] = await sendTogether(tx, site, [request], onItsOwn);
    if (written?.kind === "refused") throw written.error;
    if (written?.kind !== "done") throw new Error("a message that went alone was not sent");
    return written.result;
  });
}

/** The name or id of the channel that an error says does not exist. */
function missingChannel(error: unknown): string | number | undefined {
  if (!(error instanceof ApiError) || error.code !== "STREAM_DOES_NOT_EXIST") return undefined;
  const { stream, stream_id: id } = error.fields as { stream?: string; stream_id?: number };
  return stream ?? id;
}
