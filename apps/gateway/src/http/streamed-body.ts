import type { Readable } from "node:stream";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { errors, type Operation } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { Context } from "koa";
import { admitBody, type Sender } from "./arriving-body.ts";
import { guardDecompression } from "./body-decoder.ts";
import { resumeLater } from "./body-turns.ts";
import { formType, multipartType } from "./body.ts";
import type { Fields } from "./fields.ts";
import { largeValueSemaphore } from "./account-semaphore.ts";
import { FormStream } from "./form-stream.ts";
import { MultipartStream } from "./multipart-stream.ts";

/** Bytes that are decoded before yielding to the event loop: two to three milliseconds if all are escapes. */
const bytesBeforeYield = 64 * 1024;

/** Bodies of this many bytes wait for a semaphore. */
const large = 1024 * 1024;

/** Whether a parameter of the operation is read as a stream. */
export function isStreamed({ decoders }: Operation): boolean {
  return decoders.some(({ parameter }) => parameter.codec.reader);
}

/**
 * Adds the parameters of a form of either kind like {@link readBody}, but decodes it as a stream: joining the pieces of
 * 100 MB would block the event loop for 100 ms (docs/decisions/013). Pieces have at most 64 KiB. A body that is large,
 * or does not announce its size, waits for a semaphore before it is read.
 * @throws ApiError 413 over `limit` bytes, before or after decompression; 400 for what cannot be decoded, and for a
 *   body that breaks off; 408 for a body that stalls
 */
export async function readStreamedBody(
  ctx: Context,
  fields: Fields,
  limit: number,
  operation: Operation,
  sender: Sender,
): Promise<void> {
  const { req } = ctx;
  const type = ctx.is(formType, multipartType);
  if (!type) return;
  if (Number(req.headers["content-length"] ?? 0) > limit) throw errors.requestTooLarge(limit);
  await admitBody(ctx, sender, largeValueSemaphore, large);
  const sink = fields.sinkFor(operation);
  const form =
    type === multipartType
      ? new MultipartStream(sink, req.headers["content-type"] ?? "")
      : new FormStream(sink);
  let bytes = 0;
  await readChunks(ctx, sender.deadline, (chunk) => {
    bytes += chunk.length;
    if (bytes > limit) throw errors.requestTooLarge(limit);
    form.write(chunk);
    return undefined;
  });
  form.end();
}

/** Takes the next bytes of a body. The body pauses until a returned promise resolves, and fails if it rejects. */
export type TakeChunk = (chunk: Buffer) => Promise<void> | undefined;

/**
 * Reads the body, decompressed, until its end.
 * @throws ApiError 400 for what cannot be decompressed, and for a body that breaks off; the deadline's reason; what
 *   `take` throws
 */
export async function readChunks(
  { req, res }: Context,
  deadline: RequestDeadline,
  take: TakeChunk,
): Promise<void> {
  guardDecompression(req, res);
  if (/^100-continue$/i.test(req.headers.expect ?? "")) res.writeContinue();
  await consumed(decompressed(req), req, deadline, take);
}

/** Returns the body without its compression, or throws ApiError for an unknown one. */
function decompressed(req: Readable & { headers: Context["req"]["headers"] }): Readable {
  const encoding = req.headers["content-encoding"] ?? "identity";
  switch (encoding) {
    case "identity":
      return req;
    case "gzip":
    case "deflate":
      return req.pipe(createUnzip());
    case "br":
      return req.pipe(createBrotliDecompress());
    default:
      throw undecodable();
  }
}

/** Ends at the body's end, a refusal, a hang-up, or the end of the deadline. */
function consumed(
  body: Readable,
  req: Readable,
  deadline: RequestDeadline,
  take: TakeChunk,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stop = () => {
      isOver = true;
      body.off("data", onData);
      unsubscribe();
    };
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    let taken = 0;
    const resume = () => {
      if (!isOver) body.resume();
    };
    const onData = (chunk: Buffer) => {
      let taking: Promise<void> | undefined;
      try {
        taking = take(chunk);
      } catch (error) {
        fail(error);
        return;
      }
      taken += chunk.length;
      if (taking) {
        body.pause();
        taking.then(() => resumeLater(resume), fail);
        return;
      }
      if (taken < bytesBeforeYield) return;
      // Without a pause, up to two MiB that have arrived meanwhile would be handled in one turn of the event loop.
      taken = 0;
      body.pause();
      resumeLater(resume);
    };
    const brokenOff = () => fail(undecodable());
    const unsubscribe = deadline.onEnd(() => fail(deadline.reason ?? errors.unavailable()));
    body.on("data", onData);
    body.once("end", () => {
      stop();
      resolve();
    });
    body.once("error", brokenOff);
    // A decoder does not end by itself when the client hangs up.
    if (body !== req) req.once("error", brokenOff);
  });
}

function undecodable() {
  return errors.badRequest("The body cannot be decoded");
}
