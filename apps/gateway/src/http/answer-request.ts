import { Readable } from "node:stream";
import type { Operation } from "@carillon/contract";
import type { IdempotencyKey } from "@carillon/domain";
import type { AdmittedRequest } from "./admit-request.ts";
import { reserveAnswerMemory } from "./answer-memory.ts";
import { encodingFor } from "./compression.ts";
import { writeSuccess } from "./envelope.ts";
import type { HandlerContext, RawReply } from "./handler.ts";
import { keyId, markReplayed } from "./idempotency-header.ts";
import type { KeyIdentity } from "./keyed-requests.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { discardFile, type RequestParameters } from "./read-parameters.ts";
import { limitRendering } from "./rendering-limit.ts";
import { RequestContext } from "./request-context.ts";
import { withinDeadline } from "./within-deadline.ts";

/** Runs the handler of a request and sends its answer. @throws ApiError for every refusal */
export async function answerRequest<Services>(
  options: PipelineOptions<Services>,
  request: AdmittedRequest<Services>,
  parameters: RequestParameters,
): Promise<void> {
  const { ctx, exchange, deadline, handler } = request;
  const { operation } = handler;
  const { file, ignored } = parameters;
  if (operation.longPoll) deadline.unlimit();
  const lease = await reserveAnswerMemory(options.unsent, request);
  try {
    const answer = await runHandler(options, request, parameters);
    if (file && operation.takesPicture) await discardFile(options.files, file);
    if (operation.raw) {
      await withinDeadline(deadline, replyRaw(request, answer as RawReply));
      if (lease) exchange.holdFile(lease);
      return;
    }
    const encoding = encodingFor(ctx);
    const outgoing = await writeSuccess(answer, ignored, encoding);
    lease?.settle(outgoing.bytes, outgoing.isPaged, operation.method === "GET");
    exchange.send(outgoing, encoding, lease);
  } catch (error) {
    lease?.release();
    if (file) await discardFile(options.files, file);
    throw error;
  }
}

/** Runs the handler until the deadline. Requests with the same `Idempotency-Key` run it once and share the answer. */
function runHandler<Services>(
  options: PipelineOptions<Services>,
  request: AdmittedRequest<Services>,
  parameters: RequestParameters,
): Promise<object | void> {
  const { deadline, handler, actor, key } = request;
  const { operation } = handler;
  const { fingerprint } = parameters;
  const run = (idempotencyKey?: IdempotencyKey) =>
    runAction(options, request, parameters, idempotencyKey);
  // A poll gets an answer even when its client has hung up; a handler that reads the body stores what has arrived.
  if (operation.longPoll) return options.outage.outlast(deadline, run);
  if (operation.protocol) return run();
  if (key === undefined || !fingerprint || !actor) return withinDeadline(deadline, run());
  const identity = { id: keyId(actor.id, operation, key), accountId: actor.id, fingerprint };
  return runOnce(options, request, identity, run);
}

async function runOnce<Services>(
  { keyed }: PipelineOptions<Services>,
  { ctx, deadline }: AdmittedRequest<Services>,
  identity: KeyIdentity,
  run: (key: IdempotencyKey) => Promise<object | void>,
): Promise<object | void> {
  const { answer, isReplayed } = await keyed.run(identity, deadline, (key) =>
    withinDeadline(deadline, run(key)),
  );
  if (isReplayed) markReplayed(ctx, true);
  return answer;
}

async function runAction<Services>(
  options: PipelineOptions<Services>,
  request: AdmittedRequest<Services>,
  parameters: RequestParameters,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<object | void> {
  const { deadline, handler, actor, services, refusal } = request;
  if (refusal) {
    const earlier = idempotencyKey && (await options.findEarlierOutcome(idempotencyKey, services));
    throw earlier ?? refusal;
  }
  const { operation } = handler;
  const { input } = parameters;
  // The context is built from the same operation, so the handler's types hold.
  const context = new RequestContext(request, parameters, idempotencyKey) as unknown;
  const run = () => handler.run(context as HandlerContext<Operation, Services>);
  return actor ? limitRendering({ operation, input }, actor.id, deadline, run) : run();
}

async function replyRaw<Services>(
  { ctx, exchange, deadline }: AdmittedRequest<Services>,
  { status = 200, headers, body }: RawReply,
): Promise<void> {
  if (typeof body === "string" || !("answerTo" in body)) {
    exchange.reply(status, body, headers);
    return;
  }
  const outgoing = await body.answerTo(ctx, headers);
  if (deadline.reason) {
    // The request was answered meanwhile: nothing else would close the open file.
    if (outgoing.body instanceof Readable) outgoing.body.destroy();
    return;
  }
  exchange.reply(outgoing.status, outgoing.body, outgoing.headers);
}
