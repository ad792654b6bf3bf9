/** Yields the parts one by one and drops each reference, so that the memory of parts already sent can be reclaimed. */
export async function* handedOver(parts: Buffer[]): AsyncGenerator<Buffer, void, void> {
  parts.reverse();
  for (let part = parts.pop(); part; part = parts.pop()) yield part;
}
