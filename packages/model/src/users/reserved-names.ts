import { errors } from "@carillon/contract";
import { invisibleCharacter } from "@carillon/kit";

import { skeletonOf } from "./look-alikes.ts";

/** Names of the organization's own bots, and what mentions everybody (rendering.md §4). */
const reserved = new Set([
  "notification bot",
  "welcome bot",
  "all",
  "everyone",
  "channel",
  "stream",
  "topic",
]);

/**
 * Refuses a name that people would take for something of the server, in whatever case, width, accents and letters.
 * @param what the parameter, as the refusal calls it
 * @throws ApiError `BAD_REQUEST`
 */
export function checkNotReserved(what: string, name: string): void {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const { exact, caseless } = skeletonOf(plain);
  const readings = [exact, caseless].map((text) => text.toLowerCase().replaceAll(/\p{M}/gu, ""));
  const key = readings.find((text) => reserved.has(text));
  if (key !== undefined)
    throw errors.badRequest(`${what} must not look like ${key}: the server uses that name itself`);
}

/**
 * Refuses a text of which others would see less than there is.
 * @param what the parameter, as the refusal calls it
 * @throws ApiError `BAD_REQUEST` that names the character
 */
export function checkVisible(what: string, text: string): void {
  const found = invisibleCharacter(text);
  if (found === undefined) return;
  throw errors.badRequest(
    found === "nothing"
      ? `${what} must have a character that can be seen`
      : `${what} must not contain the invisible character ${found}: write it without`,
  );
}
