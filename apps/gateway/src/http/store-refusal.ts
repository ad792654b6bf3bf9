import { errors } from "@carillon/contract";
import { BodyTooSlow, StorageUnavailable } from "@carillon/files";

/**
 * Converts a failure of the file store to a refusal. Returns other errors unchanged. The refusal has no cause, because each
 * request would log it, and `watchStore` already logs once that the store is unavailable. A body that is too slow is a fault
 * of one request, so it is logged with that request.
 */
export function storeRefusal(error: unknown): unknown {
  if (!(error instanceof StorageUnavailable)) return error;
  const refusal = errors.storageUnavailable();
  if (error instanceof BodyTooSlow) refusal.cause = error;
  return refusal;
}
