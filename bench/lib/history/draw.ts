/**
 * SQL of a number in [0, 1) that depends on nothing but the seed, the message number `i` and which draw of it this is.
 * @param seed 0 to 10,000
 * @param nth 0 to 99
 */
export function draw(seed: number, nth: number): string {
  return `((hashint8extended(i, ${seed * 100 + nth}) & 1073741823) / 1073741824.0::float8)`;
}

/** SQL of one entry of the array, each as likely as another. */
export function oneOf(array: string, drawn: string): string {
  return `(${array})[1 + floor(cardinality(${array}) * ${drawn})::int]`;
}
