import { createHash } from "node:crypto";
import { randomSecret, type Sealer, sealerOf } from "@carillon/kit";

/**
 * The key of one export, with which its secrets are sealed: API keys, secrets of webhooks, keys of invitations. It does not
 * lie in the export.
 */
export interface TransferKey {
  /** In the manifest, so that an import with another key is refused at once. */
  readonly id: string;
  seal(text: string): string;
  /** Decrypts, or throws an Error for bytes that were sealed with another key. */
  open(sealed: string): string;
}

/** Creates the text of a new key. */
export const newTransferKey = randomSecret;

/** Derives the key of an export from its text. */
export function transferKeyOf(text: string): TransferKey {
  const sealer: Sealer = sealerOf(text, "organization transfer");
  return {
    id: createHash("sha256").update(`carillon transfer key ${text}`).digest("hex"),
    seal: (plain) => Buffer.from(sealer.seal(Buffer.from(plain, "utf8"))).toString("base64"),
    open: (sealed) => Buffer.from(sealer.open(Buffer.from(sealed, "base64"))).toString("utf8"),
  };
}
