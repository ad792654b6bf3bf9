import { errors, type Operation } from "@carillon/contract";
import type { Context, Middleware } from "koa";
import { HttpMethodEnum, koaBody } from "koa-body";
import { admitBody, type Sender } from "./arriving-body.ts";
import { guardDecompression } from "./body-decoder.ts";
import type { Fields } from "./fields.ts";
import { largeFormSemaphore } from "./account-semaphore.ts";
import { addMultipart } from "./multipart.ts";

const mebibyte = 1024 * 1024;

/** Bytes of a body of operations that need no credentials. */
const anonymousLimit = 16 * 1024;

/** Bodies of this many bytes wait for a semaphore; text that people type is far smaller. */
const largeForm = 64 * 1024;

/**
 * Returns the body limit of an operation in bytes (http-contract.md §8). It follows from the parameters: lists and objects
 * have up to a mebibyte of characters, which grow by half when they are percent-encoded.
 */
export function bodyLimitOf({ bodyLimit, access, decoders }: Operation): number {
  if (bodyLimit !== undefined) return bodyLimit;
  if (access === "anyone") return anonymousLimit;
  return decoders.some(({ parameter }) => parameter.codec.json) ? 2 * mebibyte : mebibyte;
}

export const formType = "application/x-www-form-urlencoded";
export const multipartType = "multipart/form-data";

/**
 * Adds the parameters of the body, when it is a form of either kind; other bodies are not read at all. An account's
 * body waits for a semaphore if it is large or does not announce its size.
 * @param sender undefined if anyone may call
 * @throws ApiError 413 over `limit` bytes, before or after decompression; 400 for what cannot be decoded, and for a
 *   body that breaks off; 408 for a body that stalls
 */
export async function readBody(
  ctx: Context,
  fields: Fields,
  limit: number,
  sender: Sender | undefined,
): Promise<void> {
  const { req, res, request } = ctx;
  const type = ctx.is(formType, multipartType);
  if (!type) return;
  if (Number(req.headers["content-length"] ?? 0) > limit) throw errors.requestTooLarge(limit);
  if (sender && limit > largeForm) await admitBody(ctx, sender, largeFormSemaphore, largeForm);
  guardDecompression(req, res);
  if (/^100-continue$/i.test(req.headers.expect ?? "")) res.writeContinue();
  await readerFor(limit)(ctx, nothingMore);
  const bytes: unknown = request.body;
  // The handler does not need the bytes, and may take long.
  delete request.body;
  if (!Buffer.isBuffer(bytes)) return;
  if (type === multipartType) await addMultipart(bytes, req.headers["content-type"] ?? "", fields);
  else await fields.addForm(bytes);
}

const readers = new Map<number, Middleware>();

/** Makes koa-body return the raw bytes of both kinds of form (docs/decisions/013). */
function readerFor(limit: number): Middleware {
  let reader = readers.get(limit);
  if (!reader) {
    reader = koaBody({
      parsedMethods: Object.values(HttpMethodEnum),
      json: false,
      urlencoded: false,
      multipart: false,
      textTypes: [formType, multipartType],
      textLimit: limit,
      // No encoding: a Buffer instead of a string.
      encoding: "",
      onError(error) {
        throw refusalOf(error, limit);
      },
    });
    readers.set(limit, reader);
  }
  return reader;
}

async function nothingMore(): Promise<void> {}

/** Maps failures of reading a body to refusals: broken gzip, an unknown encoding, a hung-up client. */
function refusalOf(error: Error, limit: number) {
  return "status" in error && error.status === 413
    ? errors.requestTooLarge(limit)
    : errors.badRequest("The body cannot be decoded");
}
