/**
 * What is loaded by the first who asks for it, and once, however many ask meanwhile. Where that fails they all fail, and
 * the next one tries again.
 */
export function whenNeeded<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
