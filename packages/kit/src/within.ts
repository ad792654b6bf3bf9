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

/**
 * Returns the result of `promise`, which continues after the limit.
 * @param onLate called with the error before it is thrown
 * @throws Error if the promise takes longer than `limitMs` milliseconds
 */
export async function answerWithin<T>(
  promise: Promise<T>,
  limitMs: number,
  onLate?: (error: Error) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no answer within ${limitMs} ms`);
      onLate?.(error);
      reject(error);
    }, limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
