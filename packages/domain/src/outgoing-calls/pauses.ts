/** Maximum fraction by which a random pause differs from its value. */
const jitter = 0.2;

/**
 * Returns the pause before another call of an endpoint, randomly shorter or longer, so that calls that failed together are
 * not repeated together.
 * @returns milliseconds
 */
export function variedMs(seconds: number): number {
  return Math.round(seconds * 1_000 * (1 + jitter * (2 * Math.random() - 1)));
}
