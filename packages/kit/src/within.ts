/** Returns whether `promise` resolves within `limitMs` milliseconds; it continues either way. Passes on rejections. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  if (limitMs === Infinity) return promise.then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([promise.then(() => true), limit]);
  } finally {
    clearTimeout(timer);
  }
}
