import { errors } from "@carillon/contract";
import { BodyTooSlow, StorageUnavailable } from "@carillon/files";

/**
 * Converts a failure of the file store to a refusal. Returns other errors unchanged. The refusal has no cause, which each
 * request would log: the watched store logs once that it is unavailable. Only a body that is too slow concerns one request.
 */
export function storeRefusal(error: unknown): unknown {
  if (!(error instanceof StorageUnavailable)) return error;
  const refusal = errors.storageUnavailable();
  if (error instanceof BodyTooSlow) refusal.cause = error;
  return refusal;
}
