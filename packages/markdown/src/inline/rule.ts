import type { Cursor } from "./cursor.ts";

/**
 * Tries to read markup at `at`, not beyond `end`. Returns the position after it; `at` itself when
 * there is none; a later position without having added anything when so much is plain text.
 */
export type InlineRule = (cursor: Cursor, at: number, end: number) => number;
