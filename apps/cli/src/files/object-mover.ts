import { Readable } from "node:stream";
import { FaultyObjects } from "@carillon/backup";
import type { Sql } from "@carillon/db";
import { type FileStore, hashObject, ObjectMissing, readObject, retrying } from "@carillon/files";
import { Semaphore } from "@carillon/kit";

import { type ListedObject, listObjects, remainingObjects } from "./listed-objects.ts";

export interface MoveOptions {
  /** Whether to compare the hashes of objects that the target has already. */
  readonly verify: boolean;
  /** Whether to delete objects from the source after comparing their copies. */
  readonly deleteSource: boolean;
}

/** Objects that are copied at the same time. A process has buffers for 12 parts of uploads to a bucket. */
const copiedAtOnce = 8;

const pageSize = 500;

/**
 * Copies all objects in use, which the ledger lists, from one store to another. A run compares the ledger with the target, so
 * it continues where a killed run ended. An object that is deleted meanwhile is deleted from the target too.
 */
export class ObjectMover {
  readonly #sql: Sql;
  readonly #source: FileStore;
  readonly #target: FileStore;
  readonly #options: MoveOptions;
  readonly faulty = new FaultyObjects();
  /** Objects that were examined. */
  examined = 0;
  /** Objects that the target had already. */
  present = 0;
  copied = 0;
  copiedBytes = 0;
  deleted = 0;

  constructor(sql: Sql, source: FileStore, target: FileStore, options: MoveOptions) {
    this.#sql = sql;
    this.#source = source;
    this.#target = target;
    this.#options = options;
  }

  /** Copies everything. {@link faulty} then has the missing and the changed objects. @throws StorageUnavailable */
  async run(): Promise<void> {
    let after = "";
    for (;;) {
      const page = await listObjects(this.#sql, after, pageSize);
      const last = page.at(-1);
      if (!last) return;
      await this.#movePage(page);
      after = last.key;
    }
  }

  async #movePage(page: readonly ListedObject[]): Promise<void> {
    const semaphore = new Semaphore(copiedAtOnce);
    const whole: string[] = [];
    let failure: unknown;
    await Promise.all(
      page.map((object) =>
        semaphore.run(async () => {
          if (failure !== undefined) return;
          try {
            if (await this.#moveOne(object)) whole.push(object.key);
            this.examined++;
          } catch (error) {
            failure = error;
          }
        }),
      ),
    );
    if (failure !== undefined) throw failure;
    const remaining = await remainingObjects(
      this.#sql,
      page.map(({ key }) => key),
    );
    const gone = page.filter(({ key }) => !remaining.has(key)).map(({ key }) => key);
    if (gone.length > 0) await retrying(() => this.#target.delete(gone));
    if (!this.#options.deleteSource || whole.length === 0) return;
    await retrying(() => this.#source.delete(whole));
    this.deleted += whole.length;
  }

  /** Copies an object unless the target has it. Returns whether the target now has it as it was uploaded. */
  async #moveOne(object: ListedObject): Promise<boolean> {
    const { key } = object;
    const present = await retrying(() => this.#target.stat(key));
    const wanted = object.size ?? (await retrying(() => this.#source.stat(key)))?.size;
    if (present && (present.size === wanted || wanted === undefined)) {
      const isTrusted = !this.#options.verify && !this.#options.deleteSource;
      if (isTrusted || (await this.#isAsUploaded(object))) {
        this.present++;
        return true;
      }
    }
    return this.#copy(object, present !== undefined);
  }

  /** Compares the hash in the target with that of the upload, or with that in the source if the object is not an upload. */
  async #isAsUploaded({ key, sha256 }: ListedObject): Promise<boolean> {
    const expected = sha256 ?? (await hashObject(this.#source, key))?.sha256;
    // The source no longer has it: an earlier run has compared and deleted it.
    if (!expected) return true;
    return (await hashObject(this.#target, key))?.sha256.equals(expected) === true;
  }

  async #copy(object: ListedObject, isPresent: boolean): Promise<boolean> {
    const { key, path, size, sha256 } = object;
    try {
      const stored = await retrying(() =>
        this.#target.put(key, Readable.from(readObject(this.#source, key), { objectMode: false })),
      );
      this.copied++;
      this.copiedBytes += stored.size;
      const isWhole =
        (size === null || stored.size === size) &&
        (sha256 === null || stored.sha256.equals(sha256));
      if (!isWhole) this.faulty.add({ key, path: path ?? undefined, fault: "changed" });
      return isWhole && (!this.#options.deleteSource || (await this.#isAsUploaded(object)));
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error;
      const isUsed = (await remainingObjects(this.#sql, [key])).get(key) === true;
      const fault = isPresent ? "changed" : "missing";
      if (isUsed) this.faulty.add({ key, path: path ?? undefined, fault });
      return false;
    }
  }
}
