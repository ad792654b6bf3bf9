import type { Operation } from "@carillon/contract";
import type { Context } from "koa";
import { bodyBytes } from "./body-bytes.ts";
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
  const bytes = await bodyBytes(ctx.req, ctx.res, limit);
  if (type === multipartType) await addMultipart(bytes, header, fields);
  else await fields.addForm(bytes);
}

function mediaType(header: string): string {
  if (header === formType) return header;
  const end = header.indexOf(";");
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}
