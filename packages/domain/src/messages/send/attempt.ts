import { ApiError } from "@carillon/contract";

/** What `work` gives, or the refusal that it throws. */
export function attempt<T>(work: () => T): T | ApiError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
