const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A readable time span: `500ms`, `2s`, `15m`, `1h`, `14d`. */
export type Duration = `${number}${keyof typeof units}`;

/**
 * Returns a duration in milliseconds.
 * @throws RangeError when the text is not a positive duration
 */
export function milliseconds(duration: Duration): number {
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration);
  const value = Math.round(Number(parts?.[1]) * units[parts?.[2] as keyof typeof units]);
  if (!(value > 0)) {
    throw new RangeError(
      `"${duration}" is not a duration; write for example 500ms, 2s, 15m, 1h or 14d`,
    );
  }
  return value;
}

/** Formats milliseconds for readers: 1500 → `1.5 s`. */
export function span(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${ms / 1_000} s`;
  if (ms < 3_600_000) return `${ms / 60_000} min`;
  return ms < 86_400_000 ? `${ms / 3_600_000} h` : `${ms / 86_400_000} d`;
}
