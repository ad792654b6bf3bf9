import { isUtf8 } from "node:buffer";
import { errors } from "@carillon/contract";
import type { Credentials } from "./actor.ts";

/**
 * Reads e-mail address and API key from an `Authorization` header (http-contract.md §3).
 * @throws ApiError `UNAUTHORIZED` for anything but a well-formed header, `BAD_REQUEST` for another scheme
 */
export function readCredentials(header: string | undefined): Credentials {
  const parts = header?.trim().split(/\s+/);
  if (parts?.length !== 2) throw errors.unauthorized();
  const [scheme, token] = parts as [string, string];
  if (scheme.toLowerCase() !== "basic") {
    throw errors.badRequest("The Authorization header must use the scheme Basic");
  }
  if (!base64.test(token)) throw errors.unauthorized();
  const bytes = Buffer.from(token, "base64");
  if (!isUtf8(bytes)) throw errors.unauthorized();
  const text = bytes.toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0 || text.indexOf(":", colon + 1) >= 0) throw errors.unauthorized();
  return { email: text.slice(0, colon).trim(), apiKey: text.slice(colon + 1).trim() };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
