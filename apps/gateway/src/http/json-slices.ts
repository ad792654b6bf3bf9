import { setImmediate } from "node:timers/promises";
import type { JsonText, Pages } from "./pages.ts";

/** Answers up to about this many characters are not sliced: writing them takes 0.4 ms. 100 messages have half as many. */
const maxUnsliced = 128_000;
/** Characters of a slice; the event loop runs other work after each. */
const slice = 64_000;

/** Whether the JSON of a value is so large that it must be written in slices. Stops as soon as it knows. */
export function isLarge(value: unknown): boolean {
  return weigh(value, maxUnsliced) < 0;
}

/** Returns roughly how many of `room` characters remain after writing the value; any negative number means too few. */
function weigh(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length - 3;
  if (typeof value !== "object" || value === null) return room - 6;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = weigh(value[i], left);
    return left;
  }
  for (const key in value) {
    if (left < 0) break;
    left = weigh((value as Record<string, unknown>)[key], left - key.length - 4);
  }
  return left;
}

/**
 * Writes a value exactly as `JSON.stringify` does, in slices of about 64 KB: it descends into objects and lists until
 * their parts are small. It yields to the event loop between slices, even when the consumer does not wait for the
 * network.
 * @param before,after text around it, for an envelope
 */
export async function* jsonSlices(
  value: unknown,
  before = "",
  after = "",
): AsyncGenerator<string, void, void> {
  yield* gathered(pieces(value), before, after);
}

/** Writes a list that is read page by page: a page is read when the text before it has been consumed. */
export async function* listPieces(list: Pages<unknown>): AsyncGenerator<string, void, void> {
  let before = "[";
  for await (const page of list.read()) {
    if (page.length === 0) continue;
    yield* gathered(items(page), before);
    before = ",";
  }
  yield before === "," ? "]" : "[]";
}

/** Passes on the pieces of an object, and lets the event loop run after each. */
export async function* textPieces(text: JsonText): AsyncGenerator<Buffer, void, void> {
  for await (const piece of text.read()) {
    yield piece;
    await setImmediate();
  }
}

async function* gathered(
  parts: Iterable<string>,
  before = "",
  after = "",
): AsyncGenerator<string, void, void> {
  let text = before;
  for (const part of parts) {
    text += part;
    if (text.length < slice) continue;
    yield text;
    text = "";
    await setImmediate();
  }
  yield text + after;
}

/** Yields small texts that together are the JSON; none if `JSON.stringify` writes nothing. */
function* pieces(value: unknown): Generator<string, void, void> {
  if (
    typeof value !== "object" ||
    value === null ||
    hasOwnForm(value) ||
    weigh(value, slice) >= 0
  ) {
    yield JSON.stringify(value) ?? "";
    return;
  }
  if (Array.isArray(value)) {
    yield "[";
    yield* items(value);
    yield "]";
    return;
  }
  let separator = "";
  yield "{";
  for (const [key, item] of Object.entries(value)) {
    if (!isWritten(item)) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* pieces(item);
    separator = ",";
  }
  yield "}";
}

/** Writes small items together, as many in one call as a slice holds. */
function* items(list: readonly unknown[]): Generator<string, void, void> {
  let separator = "";
  for (let at = 0; at < list.length; separator = ",") {
    const end = endOfSlice(list, at);
    if (end > at) {
      yield separator + JSON.stringify(list.slice(at, end)).slice(1, -1);
      at = end;
      continue;
    }
    yield separator;
    const item = list[at++];
    if (isWritten(item)) yield* pieces(item);
    else yield "null";
  }
}

/** Returns the end of the items from `at` that are small enough for one call. */
function endOfSlice(list: readonly unknown[], at: number): number {
  let room = slice;
  for (let i = at; i < list.length; i++) {
    room = weigh(list[i], room);
    if (room < 0) return i;
  }
  return list.length;
}

function hasOwnForm(value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}

/** Whether `JSON.stringify` writes a field of that value. */
export function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}
