/**
 * Loads a value at the first call, once for all concurrent calls. If that fails they all fail; the next call retries.
 */
export function whenNeeded<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
