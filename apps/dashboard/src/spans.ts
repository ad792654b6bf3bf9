/** Formats a time span in seconds: `0.3 s`, `42 s`, `3 min 20 s`, `5 h 2 min`, `3 d 4 h`. */
export function seconds(span: number): string {
  const whole = Math.floor(span);
  if (span < 10) return `${Math.round(span * 10) / 10} s`;
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return two(whole, 60, "min", 1, "s");
  if (whole < 86_400) return two(whole, 3_600, "h", 60, "min");
  return two(whole, 86_400, "d", 3_600, "h");
}

function two(span: number, large: number, name: string, small: number, smallName: string): string {
  const rest = Math.floor((span % large) / small);
  const first = `${Math.floor(span / large)} ${name}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

/** Formats a time in UTC, to the second: `2026-11-22 14:00:05 UTC`. */
export function clock(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z/, " UTC");
}

/** Formats a time relative to now: `in 3 min`, `2 h 5 min ago`. */
export function fromNow(unixSeconds: number, now: number): string {
  const away = unixSeconds - now;
  return away > 0 ? `in ${seconds(away)}` : `${seconds(-away)} ago`;
}

/** Formats a time with its distance from now. */
export function moment(unixSeconds: number, now: number): string {
  return `${clock(unixSeconds)} (${fromNow(unixSeconds, now)})`;
}
