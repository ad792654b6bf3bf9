import type { Cursor } from "./cursor.ts";

/**
 * Parses markup at `at`, not beyond `end`. Returns the position after it; `at` if there is none; a later position with
 * nothing added if that much is plain text.
 */
export type InlineRule = (cursor: Cursor, at: number, end: number) => number;
