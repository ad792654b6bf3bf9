import { ApiError } from "@carillon/contract";

/** Returns the result of `work`, or the ApiError that it throws. */
export function attempt<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
