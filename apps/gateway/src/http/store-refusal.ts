import { errors } from "@carillon/contract";
import { StorageUnavailable } from "@carillon/files";

/** Converts a failure of the file store to a refusal, with the failure as its cause. Returns other errors unchanged. */
export function storeRefusal(error: unknown): unknown {
  if (!(error instanceof StorageUnavailable)) return error;
  const refusal = errors.storageUnavailable();
  refusal.cause = error;
  return refusal;
}
