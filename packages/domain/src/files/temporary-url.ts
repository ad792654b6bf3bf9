import { timingSafeEqual } from "node:crypto";
import type { Secrets } from "@carillon/model";
import { safeName } from "./file-names.ts";

/** Seconds for which a temporary address works. */
const lifetime = 60;

/** A file that a temporary address leads to, and until when. */
export interface TemporaryAddress {
  readonly pathId: string;
  /** UNIX seconds. */
  readonly expiresAt: number;
}

/**
 * Makes a file's address that needs no credentials (files.md §2). Every gateway with the same `SECRET_KEY` accepts it.
 * @param now UNIX seconds, of the database's clock
 */
export function temporaryUrl(
  secrets: Secrets,
  { pathId, name }: { readonly pathId: string; readonly name: string },
  now: number,
): string {
  const claim = `${Math.floor(now) + lifetime} ${pathId}`;
  const token = Buffer.concat([signatureOf(secrets, claim), Buffer.from(claim)]);
  return `/user_uploads/temporary/${token.toString("base64url")}/${safeName(name)}`;
}

/** Reads an address below `/user_uploads/temporary/`; undefined if no gateway has made it. */
export function readTemporaryAddress(
  secrets: Secrets,
  address: string,
): TemporaryAddress | undefined {
  const slash = address.indexOf("/");
  const token = Buffer.from(address.slice(0, Math.max(slash, 0)), "base64url");
  const signature = token.subarray(0, signatureBytes);
  const claim = token.subarray(signatureBytes).toString();
  if (signature.length < signatureBytes) return undefined;
  if (!timingSafeEqual(signature, signatureOf(secrets, claim))) return undefined;
  const [expiresAt = "", pathId = ""] = claim.split(" ", 2);
  // The last part of the path is the safe name.
  if (!pathId.endsWith(address.slice(slash))) return undefined;
  return { pathId, expiresAt: Number(expiresAt) };
}

const signatureBytes = 32;

function signatureOf(secrets: Secrets, claim: string): Uint8Array {
  // The words keep it apart from the digests of API keys.
  return secrets.digest(`temporary address of a file: ${claim}`);
}
