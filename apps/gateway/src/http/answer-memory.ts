import type { AdmittedRequest } from "./admit-request.ts";
import { keyOfAddress } from "./key-of-address.ts";
import type { Lease, UnsentAnswers } from "./unsent-answers.ts";

/** Bytes of memory that sending a file takes: a chunk of the store, and the buffers of the socket. */
const fileMemory = 256 * 1024;

/** Reserves memory for the answer to a request, if answers to its operation may be large. */
export async function reserveAnswerMemory<Services>(
  unsent: UnsentAnswers,
  { ctx, actor, deadline, handler: { operation } }: AdmittedRequest<Services>,
): Promise<Lease | undefined> {
  if (operation.raw) {
    if (operation.rateBucket !== "files") return undefined;
    const accountId = actor?.id ?? keyOfAddress(ctx.ip);
    return unsent.enter({ accountId, kind: "files", bytes: fileMemory }, deadline);
  }
  if (!actor || (operation.method !== "GET" && !operation.largeAnswer)) return undefined;
  const kind = `${actor.realmId} ${operation.id}`;
  const answer = { accountId: actor.id, kind, isWhole: operation.largeAnswer === true };
  return operation.longPoll ? unsent.open(answer) : unsent.enter(answer, deadline);
}
