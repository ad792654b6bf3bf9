import { setTimeout as pause } from "node:timers/promises";
import { type ApiError, decodeInput } from "@carillon/contract";
import type { StoredFile } from "@carillon/domain";
import type { AdmittedRequest } from "./admit-request.ts";
import { bodyLimitOf, readBody } from "./body.ts";
import { clientName } from "./client-name.ts";
import { Fields } from "./fields.ts";
import type { FileIntake } from "./file-intake.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { ignoredParameters } from "./ignored.ts";
import type { PayloadBody } from "./payload.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { receiveFile } from "./receive-file.ts";
import { isStreamed, readStreamedBody } from "./streamed-body.ts";
import { StreamedRequest } from "./streamed-request.ts";
import { withinDeadline } from "./within-deadline.ts";

/** The contents of a request's query and body. */
export interface RequestParameters {
  /** The decoded parameters. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Names of parameters that the operation does not declare. */
  readonly ignored: ReturnType<typeof ignoredParameters>;
  /** Name of the sending program. */
  readonly client: string;
  /** The file that the body contained; it is in the file store. */
  readonly file: StoredFile | undefined;
  /** The request itself, for an operation that reads its body as a stream. */
  readonly streamed: StreamedRequest | undefined;
  /** The payload of another program. */
  readonly payload: PayloadBody | undefined;
  /** The fingerprint of path and parameters, for a request with an `Idempotency-Key`. */
  readonly fingerprint: Awaited<ReturnType<typeof fingerprintOf>> | undefined;
}

/**
 * Reads the request's parameters from query and body.
 * @throws ApiError for a body that cannot be read or decoded, and for wrong parameters
 */
export async function readParameters<Services>(
  options: PipelineOptions<Services>,
  request: AdmittedRequest<Services>,
): Promise<RequestParameters> {
  const { ctx, deadline, handler, path, actor, services, key, payload } = request;
  const { operation } = handler;
  const refusalOfFile =
    actor && handler.beforeFile
      ? await withinDeadline(deadline, handler.beforeFile({ path, actor, services }))
      : undefined;
  const fields = payload?.fields ?? new Fields(key !== undefined);
  if (!payload && ctx.querystring !== "") await fields.addForm(Buffer.from(ctx.querystring));
  const { file, streamed } = await readBodyInto(fields, options, request, refusalOfFile);
  try {
    return {
      input: decodeInput(operation, fields.texts, fields.reads),
      ignored: ignoredParameters(operation, fields),
      client: clientName(ctx.req.headers["user-agent"], fields.texts.get("client")),
      file,
      streamed,
      payload: payload?.body,
      fingerprint: key === undefined ? undefined : await fingerprintOf(operation, path, fields),
    };
  } catch (error) {
    if (file) await discardFile(options.files, file);
    throw error;
  }
}

/** Reads the body: the parameters into the fields, and a file into the file store. */
async function readBodyInto<Services>(
  fields: Fields,
  { bodyLimits, bodyIdleMs, deadlineMs, files }: PipelineOptions<Services>,
  { ctx, deadline, handler, path, actor, services, payload }: AdmittedRequest<Services>,
  refusalOfFile: ApiError | undefined,
): Promise<{ file?: StoredFile; streamed?: StreamedRequest }> {
  const { operation } = handler;
  const limit = bodyLimits?.get(operation.id) ?? bodyLimitOf(operation);
  if (actor && (operation.takesFile || operation.protocol)) {
    const sender = { accountId: actor.id, deadline };
    const times = { idleMs: 3 * bodyIdleMs, deadlineMs };
    const streamed = new StreamedRequest(ctx, operation.method, sender, times);
    // The handler of an operation with a protocol reads the body.
    if (!operation.takesFile) return { streamed };
    const receiving = receiveFile(ctx, fields, operation, files, limit, {
      request: streamed,
      deadline,
      realmId: actor.realmId,
      refusal: refusalOfFile,
    });
    return { file: await withinDeadline(deadline, receiving), streamed };
  }
  const sender = actor && { accountId: actor.id, deadline, idleMs: bodyIdleMs };
  if (actor && sender && payload) {
    const { headers } = ctx.req;
    const check = (bytes: Buffer) =>
      handler.beforePayload?.({ path, actor, services, headers, bytes });
    await withinDeadline(deadline, payload.read(limit, sender, check));
  } else if (operation.method !== "GET" && !operation.protocol) {
    const reading =
      sender && isStreamed(operation)
        ? readStreamedBody(ctx, fields, limit, operation, sender)
        : readBody(ctx, fields, limit, sender);
    await withinDeadline(deadline, reading);
  }
  return {};
}

/** Maximum milliseconds for which an answer waits until a received file is deleted. */
const discardMs = 1_000;

/** Deletes a received file that is not kept. After {@link discardMs} the deletion continues without being awaited. */
export async function discardFile(files: FileIntake, { key }: StoredFile): Promise<void> {
  await Promise.race([files.discard(key), pause(discardMs, undefined, { ref: false })]);
}
