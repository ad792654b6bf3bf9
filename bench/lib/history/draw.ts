/**
 * Returns an SQL expression for a pseudorandom number in [0, 1). The number depends only on the seed, the message
 * number `i` and the number of the draw.
 * @param seed 0 to 10,000
 * @param nth number of the draw, 0 to 99
 */
export function draw(seed: number, nth: number): string {
  return `((hashint8extended(i, ${seed * 100 + nth}) & 1073741823) / 1073741824.0::float8)`;
}

/**
 * Returns an SQL expression for one entry of an array.
 * @param drawn SQL of a number in [0, 1) that selects the entry
 */
export function oneOf(array: string, drawn: string): string {
  return `(${array})[1 + floor(cardinality(${array}) * ${drawn})::int]`;
}
