import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

import { errors } from "@carillon/contract";
import { codePointLength, Semaphore } from "@carillon/kit";

import { passwordStrength } from "./password-strength.ts";

/** Minimum estimated guesses for an accepted password. Clients get it as `password_min_guesses`, to show the strength. */
export const minPasswordGuesses = 10_000;

/** Minimum and maximum code points of a password (events.md §1.3). */
export const passwordLength = { min: 6, max: 100 };

/** Cost of one hash: 32 MiB of memory and about 60 ms of one core, in the thread pool. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const keyLength = 32;

/** Hashes derived concurrently: half of Node's thread pool, which other work needs too. */
const maxConcurrent = 2;
/** Maximum hashes running or waiting: about three seconds of work. */
const maxActive = maxConcurrent + 100;
let active = 0;
const hashing = new Semaphore(maxConcurrent);

/**
 * Hashes a password for storage as `scrypt$N$r$p$salt$hash`, the last two in base64.
 * @param password checked by `checkPassword`
 * @throws ApiError 503 if too many are waiting
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await withinLimit(() => derive(password, salt, cost, keyLength));
  return stored(salt, key);
}

function stored(salt: Buffer, key: Buffer): string {
  const { N, r, p } = cost;
  return ["scrypt", N, r, p, salt.toString("base64"), key.toString("base64")].join("$");
}

/** A hash that no password matches: an attempt for an unknown account costs as much as for an existing one. */
const unmatchableHash = stored(randomBytes(16), randomBytes(keyLength));

/** Returns whether a text is a hash as `hashPassword` makes them, with the same cost and lengths. */
export function isPasswordHash(text: string): boolean {
  const parts = text.split("$");
  const [salt, key] = parts.slice(-2).map((part) => Buffer.from(part, "base64"));
  return salt?.length === 16 && key?.length === keyLength && text === stored(salt, key);
}

/**
 * Splits a hash. One with a key of another length, which might match every password, or with a higher cost, which would
 * hold up other attempts, becomes a hash that no password matches.
 * @throws Error for a hash of an unknown kind
 */
function partsOf(hash: string) {
  const [scheme, N, r, p, salt = "", key = ""] = hash.split("$");
  if (scheme !== "scrypt") throw new Error(`password hashes of the kind ${scheme} are unknown`);
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const expected = Buffer.from(key, "base64");
  const usable =
    expected.length === keyLength &&
    options.N <= cost.N &&
    options.r <= cost.r &&
    options.p <= cost.p;
  if (!usable) return partsOf(unmatchableHash);
  return { options, salt: Buffer.from(salt, "base64"), expected };
}

/**
 * Whether the password matches the hash. Without a hash, and for a text longer than any password, returns false after
 * the same time, so that the response time reveals neither whether the account exists nor how long its password is.
 * @param begin counts the attempt, and may reject it; not called if too many are waiting
 * @throws ApiError 503 if too many are waiting; what `begin` throws
 */
export async function verifyPassword(
  password: string,
  hash: string | null,
  begin: () => Promise<void> = async () => {},
): Promise<boolean> {
  const { options, salt, expected } = partsOf(hash ?? unmatchableHash);
  const possible = isPossible(password);
  // A text that is too long is not processed at all: normalizing it takes quadratic time.
  const tried = possible ? password : "";
  const actual = await withinLimit(async () => {
    await begin();
    return derive(tried, salt, options, expected.length);
  });
  return timingSafeEqual(actual, expected) && hash !== null && possible;
}

/** Checks the number of UTF-16 units first, at most two for each code point, to avoid counting a very long text. */
function isPossible(password: string): boolean {
  return (
    password.length <= 2 * passwordLength.max && codePointLength(password) <= passwordLength.max
  );
}

/**
 * Runs the work if fewer than the maximum are running or waiting.
 * @throws ApiError 503 otherwise
 */
async function withinLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  if (active >= maxActive)
    throw errors.unavailable("Too many passwords are being checked: try again in a moment");
  active++;
  try {
    return await work();
  } finally {
    active--;
  }
}

function derive(
  password: string,
  salt: Buffer,
  options: { N: number; r: number; p: number },
  length: number,
): Promise<Buffer> {
  const maxmem = 256 * options.N * options.r;
  return hashing.run(
    () =>
      new Promise((resolve, reject) => {
        // Normalized, so that passwords match whatever composition the keyboard produces.
        scrypt(password.normalize("NFKC"), salt, length, { ...options, maxmem }, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      }),
  );
}

/**
 * Checks that a new password is long enough, not a common one, and hard to guess (people.md §4).
 * @throws ApiError `BAD_REQUEST`; 503 if too many are waiting
 */
export async function checkPassword(password: string): Promise<void> {
  const length = codePointLength(password);
  const { min, max } = passwordLength;
  if (length < min) throw errors.badRequest(`password is too weak: use at least ${min} characters`);
  if (length > max) throw errors.badRequest(`password must not have more than ${max} characters`);
  const { isCommon, guesses } = await passwordStrength(password);
  if (isCommon)
    throw errors.badRequest(
      "password is one of the most common ones, which are guessed first: choose another",
    );
  if (guesses < minPasswordGuesses)
    throw errors.badRequest(
      `password is too easy to guess: about ${Math.ceil(guesses)} guesses would find it, and at least ${minPasswordGuesses} are required; add words or unusual characters`,
    );
}
