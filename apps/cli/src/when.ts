import { parseIso8601 } from "@carillon/kit";

import { UsageError } from "./usage-error.ts";

const seconds: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/**
 * Parses a time option: ISO 8601, UTC by default, or a span before now.
 * @returns UNIX seconds
 * @throws UsageError
 */
export function readWhen(option: string, text: string, now = Date.now() / 1_000): number {
  const [, amount, unit = ""] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (amount !== undefined) return now - Number(amount) * (seconds[unit] ?? 0);
  const at = parseIso8601(text);
  if (at !== undefined) return Number(at) / 1_000_000;
  throw new UsageError(
    `${option} must be a time such as 2026-11-23T12:00:00Z or 2026-11-23, or a span before now such as 90m, 12h or 7d`,
  );
}
