import type { Database } from "@carillon/db";
import { checkQuota, claimUnused, forgetObjects } from "@carillon/domain";
import { type FileStore, isUnavailable } from "@carillon/files";
import type { Logger } from "@carillon/kit";
import type { FileIntake } from "./http/file-intake.ts";
import { storeRefusal } from "./http/store-refusal.ts";
import type { ObjectKeys } from "./object-keys.ts";

/** Dependencies of the intake. */
interface IntakeParts {
  /** Not bound to a request's deadline, because an object may be discarded after the request has ended. */
  readonly db: Database;
  readonly store: FileStore;
  readonly keys: Pick<ObjectKeys, "take">;
  readonly log: Logger;
  /** Maximum bytes of an organization's uploads; undefined if there is no quota. */
  readonly quota: number | undefined;
}

/** Creates the intake of a gateway. It commits the ledger row of an object before the first byte (files.md §8). */
export function fileIntake({ db, store, keys, log, quota }: IntakeParts): FileIntake {
  async function discard(key: string): Promise<void> {
    try {
      if (!(await claimUnused(db, key))) return;
      await store.delete([key]);
      await forgetObjects(db, [key]);
    } catch (err) {
      if (isUnavailable(err)) return;
      log.warn({ err, key }, "stored object not deleted; delete-objects will delete it");
    }
  }

  return {
    async checkRoom(realmId, bytes) {
      if (quota !== undefined) await checkQuota(db, realmId, bytes, quota);
    },
    async store(bytes, signal) {
      const key = await keys.take();
      try {
        return { key, ...(await store.put(key, bytes, { signal })) };
      } catch (error) {
        // If the store is unavailable, deleting would make the request wait for another timeout. Recurring work deletes
        // objects that the ledger lists as unused.
        if (!isUnavailable(error)) await discard(key);
        throw storeRefusal(error);
      }
    },
    discard,
  };
}
