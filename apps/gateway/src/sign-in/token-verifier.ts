import { createPublicKey, type KeyObject } from "node:crypto";

import { errors } from "@carillon/contract";
import { type Environment, type Logger, StartupError, whenNeeded } from "@carillon/kit";

/** Loaded when first needed. */
const loadLibrary = whenNeeded(() => import("jose"));

/** A kind of key, with the algorithms that it is for. */
interface KeyKind {
  readonly names: readonly string[];
  /** Undefined for a shared secret. */
  readonly keyType?: string;
}

/** `none` is not among them: a token without a signature is never valid. */
const keyKinds: readonly KeyKind[] = [
  { names: ["HS256", "HS384", "HS512"] },
  { names: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"], keyType: "rsa" },
  { names: ["ES256", "ES384", "ES512"], keyType: "ec" },
  { names: ["EdDSA", "Ed25519"], keyType: "ed25519" },
];

/** Minimum bytes of a secret, by algorithm: those of the hash (RFC 7518 §3.2). */
const safeSecret: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Verifies tokens of programs that sign people in themselves (people.md §5). */
export class TokenVerifier {
  readonly #key: KeyObject | Uint8Array;
  readonly #algorithms: readonly string[];

  constructor(key: KeyObject | Uint8Array, accepted: readonly string[]) {
    this.#key = key;
    this.#algorithms = accepted;
  }

  /**
   * Returns the claim `email` of a token.
   * @throws ApiError `BAD_REQUEST` if the token is not valid now, or has no such claim
   */
  async emailOf(token: string): Promise<string> {
    const { jwtVerify } = await loadLibrary();
    const verified = await jwtVerify(token, this.#key, {
      algorithms: [...this.#algorithms],
      requiredClaims: ["exp"],
    }).catch(() => {
      // The reason would tell a forger what to change.
      throw errors.badRequest(
        "The token is not valid: it must be signed with JWT_AUTH_KEY and not expired",
      );
    });
    const { email } = verified.payload;
    if (typeof email !== "string") throw errors.badRequest("The token has no claim email");
    return email;
  }
}

/**
 * Makes the verifier that the variables configure; undefined without `JWT_AUTH_KEY`.
 * @throws StartupError that names the variable at fault
 */
export function tokenVerifierFrom(env: Environment, log: Logger): TokenVerifier | undefined {
  const { JWT_AUTH_KEY: key, JWT_AUTH_ALGORITHMS: text } = env;
  if (key === undefined) {
    if (text === undefined) return undefined;
    throw new StartupError("JWT_AUTH_KEY is not set, but JWT_AUTH_ALGORITHMS is");
  }
  const accepted = (text ?? "HS256").split(",").map((name) => name.trim());
  const kind = keyKinds.find(({ names }) => accepted.every((name) => names.includes(name)));
  if (!kind)
    throw new StartupError(
      `JWT_AUTH_ALGORITHMS must be algorithms for one kind of key, separated by commas: ${keyKinds.map(({ names }) => names.join(", ")).join("; or ")}`,
    );
  const { keyType } = kind;
  if (keyType !== undefined) return new TokenVerifier(publicKey(key, keyType, accepted), accepted);
  const bytes = Buffer.byteLength(key);
  for (const algorithm of accepted) {
    const wanted = safeSecret[algorithm] ?? 0;
    if (bytes < wanted)
      log.warn(
        { variable: "JWT_AUTH_KEY", algorithm, bytes },
        `JWT_AUTH_KEY is short: ${algorithm} needs ${wanted} random bytes, with fewer it is easier to guess the key and forge tokens`,
      );
  }
  return new TokenVerifier(new TextEncoder().encode(key), accepted);
}

/** Parses a public key of the type in PEM, or throws StartupError. */
function publicKey(text: string, keyType: string, accepted: readonly string[]): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPublicKey(text);
  } catch {
    // Reported below.
  }
  if (key?.asymmetricKeyType !== keyType)
    throw new StartupError(
      `JWT_AUTH_KEY must be a public key of type ${keyType} in PEM, because JWT_AUTH_ALGORITHMS is ${accepted.join(",")}`,
    );
  return key;
}
