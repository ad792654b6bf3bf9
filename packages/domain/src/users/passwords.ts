import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

import pLimit from "p-limit";
import { errors } from "@carillon/contract";
import { codePointLength } from "@carillon/kit";

import { isCommonPassword } from "./common-passwords.ts";

/** Code points that a password may have (events.md §1.3). */
export const passwordLength = { min: 6, max: 100 };

/** Cost of one hash: 32 MiB of memory and some 60 ms of one core, off the event loop. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const keyLength = 32;

/** Hashes that are derived at a time: half of the threads that Node has for such work, which others need too. */
const atATime = 2;
/** Those that are worked on or wait for their turn: some three seconds of work. */
const mayBeInLine = atATime + 100;
let inLine = 0;
const hashing = pLimit(atATime);

/**
 * The hash of a password as it is stored: `scrypt$N$r$p$salt$hash`, the last two in base64.
 * @param password checked by `checkPassword`
 * @throws ApiError 503 when too many wait to be hashed
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await withPlaceInLine(() => derive(password, salt, cost, keyLength));
  return stored(salt, key);
}

function stored(salt: Buffer, key: Buffer): string {
  const { N, r, p } = cost;
  return ["scrypt", N, r, p, salt.toString("base64"), key.toString("base64")].join("$");
}

/** Of no password that anybody knows: what is tried where there is no account costs what others cost. */
const nobodysHash = stored(randomBytes(16), randomBytes(keyLength));

/**
 * Whether the password is the one that `hash` was made of. Without a hash, and for a text that is longer than any
 * password, it takes as long and is false: the time of an answer tells neither whether there is such an account nor
 * how long its password is.
 * @param begin counts the try, and may refuse it; not called when too many wait, which is nobody's try
 * @throws ApiError 503 when too many wait to be hashed; what `begin` throws
 */
export async function verifyPassword(
  password: string,
  hash: string | null,
  begin: () => Promise<void> = async () => {},
): Promise<boolean> {
  const [scheme, N, r, p, salt = "", key = ""] = (hash ?? nobodysHash).split("$");
  if (scheme !== "scrypt") throw new Error(`password hashes of the kind ${scheme} are unknown`);
  const expected = Buffer.from(key, "base64");
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const possible = isPossible(password);
  // Whatever is too long is never looked at: composing its letters takes time that grows with the square of them.
  const tried = possible ? password : "";
  const actual = await withPlaceInLine(async () => {
    await begin();
    return derive(tried, Buffer.from(salt, "base64"), options, expected.length);
  });
  return timingSafeEqual(actual, expected) && hash !== null && possible;
}

/** Counting stops being worth it at twice the length in UTF-16 units, the most that this many code points have. */
function isPossible(password: string): boolean {
  return (
    password.length <= 2 * passwordLength.max && codePointLength(password) <= passwordLength.max
  );
}

/** @throws ApiError 503 when there is none, and then nothing is done */
async function withPlaceInLine<Result>(work: () => Promise<Result>): Promise<Result> {
  if (inLine >= mayBeInLine)
    throw errors.unavailable("Too many passwords are being checked: try again in a moment");
  inLine++;
  try {
    return await work();
  } finally {
    inLine--;
  }
}

function derive(
  password: string,
  salt: Buffer,
  options: { N: number; r: number; p: number },
  length: number,
): Promise<Buffer> {
  const maxmem = 256 * options.N * options.r;
  return hashing(
    () =>
      new Promise((resolve, reject) => {
        // Equal passwords are equal however the keyboard composes their letters.
        scrypt(password.normalize("NFKC"), salt, length, { ...options, maxmem }, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      }),
  );
}

/** @throws ApiError `BAD_REQUEST` */
export async function checkPassword(password: string): Promise<void> {
  const length = codePointLength(password);
  const { min, max } = passwordLength;
  if (length < min) throw errors.badRequest(`password is too weak: use at least ${min} characters`);
  if (length > max) throw errors.badRequest(`password must not have more than ${max} characters`);
  if (await isCommonPassword(password))
    throw errors.badRequest(
      "password is one of the most common ones, which are guessed first: choose another",
    );
}
