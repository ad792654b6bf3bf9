import type { ByteRange } from "./store.ts";

/**
 * Returns the requested bytes of an object of this size.
 * @throws RangeError if the range begins after the last byte or is invalid
 */
export function bytesOf(
  size: number,
  range: ByteRange | undefined,
): { readonly start: number; readonly length: number } {
  if (range === undefined) return { start: 0, length: size };
  checkRange(range);
  const { start, end } = range;
  if (start >= size) throw new RangeError(`byte ${start} is not one of the object's ${size} bytes`);
  return { start, length: Math.min(end, size - 1) - start + 1 };
}

/** Throws RangeError if the range is invalid. */
export function checkRange({ start, end }: ByteRange): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start)
    throw new RangeError(`${start} to ${end} is not a range of bytes`);
}
