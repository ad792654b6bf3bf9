import { historyBuckets } from "@carillon/scheduling";

/**
 * Computes a quantile of latency from bucket counts, in seconds: exact to the width of a bucket, and at most the worst.
 * @param share 0.95 for 95 of 100
 * @returns null if nothing was sent
 */
export function quantile(buckets: readonly number[], worst: number, share: number): number | null {
  const all = buckets.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let left = share * all;
  for (const [i, count] of buckets.entries()) {
    if (count > 0 && left <= count) {
      const from = historyBuckets[i - 1] ?? 0;
      const to = Math.min(historyBuckets[i] ?? worst, worst);
      return Math.min(worst, from + Math.max(0, to - from) * (left / count));
    }
    left -= count;
  }
  return worst;
}
