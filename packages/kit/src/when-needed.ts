/**
 * Loads a value at the first call, once for all concurrent calls. If that fails, they all fail, and the next call
 * tries again.
 */
export function whenNeeded<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
