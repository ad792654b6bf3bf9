import * as fs from "node:fs";
import { promisify } from "node:util";
import type { Semaphore } from "@carillon/kit";

// File descriptors instead of FileHandles, which cost more.
const openFile = promisify(fs.open);
const syncFile = promisify(fs.fsync);
const closeFile = promisify(fs.close);

/**
 * Syncs folders. Calls for a folder that is being synced wait and share the next sync, because the running one may have begun
 * before their changes.
 */
export class FolderSyncs {
  readonly #operations: Semaphore;
  readonly #sync: (folder: string) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  /** @param operations limits concurrent operations */
  constructor(operations: Semaphore, sync = syncFolder) {
    this.#operations = operations;
    this.#sync = sync;
  }

  /** Makes the current entries of a folder durable. */
  sync(folder: string): Promise<void> {
    const next = this.#next.get(folder);
    if (next) return next;
    const running = this.#running.get(folder);
    if (!running) return this.#start(folder);
    const start = () => {
      this.#next.delete(folder);
      return this.#start(folder);
    };
    const waiting = running.then(start, start);
    this.#next.set(folder, waiting);
    return waiting;
  }

  #start(folder: string): Promise<void> {
    const sync = async () => {
      try {
        await this.#operations.run(() => this.#sync(folder));
      } finally {
        this.#running.delete(folder);
      }
    };
    const running = sync();
    this.#running.set(folder, running);
    return running;
  }
}

/** Makes the entries of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const fd = await openFile(folder, "r");
  try {
    await syncFile(fd);
  } finally {
    await closeFile(fd);
  }
}
