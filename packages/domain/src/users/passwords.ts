import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** Code points that a password may have (events.md §1.3). */
export const passwordLength = { min: 6, max: 100 };

/** Cost of one hash: 32 MiB of memory and some 60 ms of one core, off the event loop. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const keyLength = 32;

/** The hash of a password as it is stored: `scrypt$N$r$p$salt$hash`, the last two in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const { N, r, p } = cost;
  const key = await derive(password, salt, cost, keyLength);
  return ["scrypt", N, r, p, salt.toString("base64"), key.toString("base64")].join("$");
}

/**
 * Whether the password is the one that `hash` was made of. Without a hash it takes as long and is false, so that the
 * time of an answer does not tell whether there is such an account.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [scheme, N, r, p, salt = "", key = ""] = (hash ?? (await nobodysHash())).split("$");
  if (scheme !== "scrypt") throw new Error(`password hashes of the kind ${scheme} are unknown`);
  const expected = Buffer.from(key, "base64");
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, "base64"), options, expected.length);
  return timingSafeEqual(actual, expected) && hash !== null;
}

let nobody: Promise<string> | undefined;

function nobodysHash(): Promise<string> {
  return (nobody ??= hashPassword(randomBytes(16).toString("hex")));
}

function derive(
  password: string,
  salt: Buffer,
  options: { N: number; r: number; p: number },
  length: number,
): Promise<Buffer> {
  const maxmem = 256 * options.N * options.r;
  return new Promise((resolve, reject) => {
    // Equal passwords are equal however the keyboard composes their letters.
    scrypt(password.normalize("NFKC"), salt, length, { ...options, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
