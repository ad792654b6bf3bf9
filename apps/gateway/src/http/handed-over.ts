/** Yields the parts one by one and drops each reference, so that only those that are left take memory. */
export async function* handedOver(parts: Buffer[]): AsyncGenerator<Buffer, void, void> {
  parts.reverse();
  for (let part = parts.pop(); part; part = parts.pop()) yield part;
}
