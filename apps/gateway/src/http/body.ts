import { ApiError, errors, type Operation } from "@carillon/contract";
import type { Context, Middleware } from "koa";
import { HttpMethodEnum, koaBody } from "koa-body";
import type { Fields } from "./fields.ts";
import { addMultipart } from "./multipart.ts";

/** Bytes of a body unless the operation says otherwise (http-contract.md §8). */
const usualLimit = 25 * 1024 * 1024;
/** The same where anybody may send one. */
const strangersLimit = 16 * 1024;

/** The most bytes that the body of a request for the operation may have. */
export function bodyLimitOf({ bodyLimit, access }: Operation): number {
  return bodyLimit ?? (access === "anyone" ? strangersLimit : usualLimit);
}

const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data";

/**
 * Adds the parameters of the body, when it is a form of either kind; other bodies are not read at all.
 * @throws ApiError 413 over `limit` bytes (after decompression), 400 for what cannot be decoded
 */
export async function readBody(ctx: Context, fields: Fields, limit: number): Promise<void> {
  const header = ctx.req.headers["content-type"] ?? "";
  const type = mediaType(header);
  if (type !== formType && type !== multipartType) return;
  try {
    await reader(limit)(ctx, nothing);
  } catch (error) {
    throw asRefusal(error, limit);
  }
  const bytes: unknown = ctx.request.body;
  if (!Buffer.isBuffer(bytes)) return;
  if (type === multipartType) addMultipart(bytes, header, fields);
  else fields.addForm(bytes.toString("utf8"));
}

function mediaType(header: string): string {
  if (header === formType) return header;
  const end = header.indexOf(";");
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

const readers = new Map<number, Middleware>();

/**
 * koa-body set to hand over the bytes of both kinds of form as they are: its parser of forms would nest `a[b]`
 * (http-contract.md §4), for its parser of multipart see `multipart.ts`.
 */
function reader(limit: number): Middleware {
  let middleware = readers.get(limit);
  if (!middleware) {
    middleware = koaBody({
      parsedMethods: [
        HttpMethodEnum.POST,
        HttpMethodEnum.PUT,
        HttpMethodEnum.PATCH,
        HttpMethodEnum.DELETE,
      ],
      json: false,
      urlencoded: false,
      multipart: false,
      textTypes: [formType, multipartType],
      textLimit: limit,
      // No encoding: a Buffer instead of a string.
      encoding: "",
    });
    readers.set(limit, middleware);
  }
  return middleware;
}

async function nothing(): Promise<void> {}

/** Whatever fails while a body is read is the body's fault: broken gzip, an unknown encoding, a hung-up client. */
function asRefusal(error: unknown, limit: number): ApiError {
  const status =
    typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  return status === 413
    ? errors.requestTooLarge(limit)
    : errors.badRequest("The body cannot be decoded");
}
