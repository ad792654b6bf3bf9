import { timingSafeEqual } from "node:crypto";
import type { Secrets } from "@carillon/model";
import { safeName } from "./file-names.ts";

/** Lifetime of a temporary address in seconds. */
const lifetime = 60;

/** What a temporary address states. */
export interface TemporaryAddress {
  readonly pathId: string;
  /** UNIX seconds. */
  readonly expiresAt: number;
}

/**
 * Creates an address with which a file can be read without credentials (files.md §2). Every gateway with the same
 * `SECRET_KEY` accepts it.
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

/**
 * Verifies and decodes an address below `/user_uploads/temporary/`. Does not check whether it has expired.
 * @returns undefined if the signature or the name is wrong
 */
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
  // The prefix keeps this digest different from the digests of API keys.
  return secrets.digest(`temporary address of a file: ${claim}`);
}
