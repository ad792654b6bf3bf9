import { ApiError, errors } from "@carillon/contract";
import type { Context, Middleware } from "koa";
import { koaBody, HttpMethodEnum, type KoaBodyMiddlewareOptions } from "koa-body";
import type { Fields } from "./fields.ts";
import { readMultipart } from "./multipart.ts";

/** Bytes of a body unless the operation says otherwise; http-contract.md §8. */
export const defaultBodyLimit = 25 * 1024 * 1024;

export const bodyMethods = [
  HttpMethodEnum.POST,
  HttpMethodEnum.PUT,
  HttpMethodEnum.PATCH,
  HttpMethodEnum.DELETE,
];

const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data";

/**
 * Adds the parameters of the body, when it is a form of either kind; other bodies are not read at all.
 * @throws ApiError 413 over `limit` bytes (after decompression), 400 for what cannot be decoded
 */
export async function readBody(ctx: Context, fields: Fields, limit: number): Promise<void> {
  const type = mediaType(ctx.req.headers["content-type"]);
  if (type !== formType && type !== multipartType) return;
  if (Number(ctx.req.headers["content-length"]) > limit) throw errors.requestTooLarge(limit);
  try {
    if (type === multipartType) await readMultipart(ctx, fields, limit);
    else {
      await textReader(limit)(ctx, nothing);
      const text: unknown = ctx.request.body;
      if (typeof text === "string") fields.addForm(text);
    }
  } catch (error) {
    throw asRefusal(error, limit);
  }
}

function mediaType(header: string | undefined): string | undefined {
  if (header === formType || header === undefined) return header;
  const end = header.indexOf(";");
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

const readers = new Map<number, Middleware>();

/** koa-body set to hand over the form as raw text: its own parser would nest `a[b]` (http-contract.md §4). */
function textReader(limit: number): Middleware {
  let reader = readers.get(limit);
  if (!reader) {
    reader = koaBody({ ...only("text"), textTypes: [formType], textLimit: limit });
    readers.set(limit, reader);
  }
  return reader;
}

/** Options that make koa-body read one kind of body, and no other. */
export function only(kind: "text" | "multipart"): KoaBodyMiddlewareOptions {
  return {
    parsedMethods: bodyMethods,
    json: false,
    urlencoded: false,
    text: kind === "text",
    multipart: kind === "multipart",
  } as KoaBodyMiddlewareOptions;
}

export async function nothing(): Promise<void> {}

/** Whatever fails while a body is read is the body's fault: broken gzip, broken multipart, a hung-up client. */
function asRefusal(error: unknown, limit: number): ApiError {
  if (error instanceof ApiError) return error;
  const status =
    typeof error === "object" && error !== null && "status" in error ? error.status : undefined;
  if (status === 413) return errors.requestTooLarge(limit);
  return errors.badRequest("The body cannot be decoded");
}
