import type { Readable } from "node:stream";
import { errors } from "@carillon/contract";

/** An object that {@link FileIntake.store} has stored. */
export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Buffer;
}

/** Stores the files of requests, before rows refer to them. */
export interface FileIntake {
  /**
   * Checks before the body is read whether the file may fit into the organization's quota.
   * @param bytes a lower bound of the file's size; below 0 if nothing is known
   * @throws ApiError `REALM_UPLOAD_QUOTA`
   */
  checkRoom(realmId: number, bytes: number): Promise<void>;
  /**
   * Stores the bytes under a new key.
   * @throws ApiError `INTERNAL_ERROR` (503) if the file store fails
   */
  store(bytes: Readable, signal?: AbortSignal): Promise<StoredObject>;
  /** Deletes an object of `store` unless a committed transaction uses it. Never rejects. */
  discard(key: string): Promise<void>;
}

/** Refuses all files. */
export const noFileIntake: FileIntake = {
  checkRoom: () => Promise.reject(errors.storageUnavailable()),
  store: () => Promise.reject(errors.storageUnavailable()),
  discard: async () => {},
};
