import { access, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { whenNeeded, type Semaphore } from "@carillon/kit";

import type { DiskCall } from "./disk-call.ts";
import { codeOf } from "./disk-errors.ts";
import { FolderSyncs, syncFolder } from "./folder-syncs.ts";

const mode = 0o700;

/** Milliseconds without a write after which a temporary file belongs to a crashed process: uploads take at most an hour. */
const leftoverMs = 24 * 3_600_000;
const sweepEveryMs = 3_600_000;

/** The folders of a disk store: `tmp` for files that are being written, and two levels for objects. */
export class Folders {
  readonly root: string;
  readonly temporary: string;
  readonly #prepare: () => Promise<void>;
  readonly #syncs: FolderSyncs;
  /** Folders that this process knows to be durable. */
  readonly #durable = new Set<string>();
  #nextSweep = 0;

  /** @param operations limits concurrent operations */
  constructor(root: string, operations: Semaphore) {
    this.root = root;
    this.temporary = join(root, "tmp");
    this.#syncs = new FolderSyncs(operations);
    this.#prepare = whenNeeded(() =>
      operations.run(async () => {
        // Once only: if the folder disappears later, its file system is probably not mounted, and must not be replaced.
        await makeDurably(root);
        await makeDurably(this.temporary);
      }),
    );
  }

  /** Creates the store's folder if this is its first use by this process. */
  async prepare(call: DiskCall): Promise<void> {
    await call.watched(this.#prepare);
  }

  /** Creates the folder of an object, durably. */
  async make(folder: string, call: DiskCall): Promise<void> {
    if (this.#durable.has(folder)) return;
    const parent = dirname(folder);
    if (parent !== this.root) await this.make(parent, call);
    await call.step(async () => {
      await mkdir(folder, { mode }).catch(unless("EEXIST"));
      // Also if another process has created the folder: that process may not have synced the parent yet.
      await syncFolder(parent);
    });
    this.#durable.add(folder);
  }

  /** Makes the current entries of an object's folder durable. */
  async sync(folder: string, call: DiskCall): Promise<void> {
    await call.watched(() => this.#syncs.sync(folder));
  }

  /** Forgets which folders exist, because one of them has been removed. */
  forget(): void {
    this.#durable.clear();
  }

  /** Throws the error of the operating system if the store's own folder does not exist. */
  async assertPresent(call: DiskCall): Promise<void> {
    await call.step(() => access(this.temporary));
  }

  /**
   * Removes the temporary files of crashed processes: those without a write for 24 hours. Does so at most once an hour.
   * Other processes may be writing newer files.
   */
  async removeLeftovers(call: DiskCall): Promise<void> {
    const now = Date.now();
    if (now < this.#nextSweep) return;
    this.#nextSweep = now + sweepEveryMs;
    for (const name of await call.step(() => readdir(this.temporary))) {
      const path = join(this.temporary, name);
      await call.step(async () => {
        const found = await stat(path).catch(unless("ENOENT"));
        if (found && now - found.mtimeMs > leftoverMs) await rm(path, { force: true });
      });
    }
  }
}

/** Creates a folder and its missing parents, durably. */
async function makeDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made));
    if (made === first) return;
  }
}

/** Returns a handler that ignores errors of the operating system with the given code. */
export function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}
