import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import {
  type FileStore,
  hashObject,
  ObjectMissing,
  readObject,
  retrying,
  type StoredFile,
} from "@carillon/files";
import { whenNeeded } from "@carillon/kit";
import type pg from "pg";

import { ask } from "./connect.ts";
import { FaultyObjects } from "./faulty-objects.ts";
import { objectLine } from "./format.ts";

/** How much a backup has of the file store. */
export interface WrittenObjects {
  readonly objects: number;
  readonly bytes: number;
  /** Objects that are not in the backup, or with other bytes than their rows say. */
  readonly faulty: FaultyObjects;
}

/** An object that the rows of the backup name. */
interface ListedObject {
  readonly key: string;
  /** Size in bytes, hash and path of the uploaded file; null for other objects. */
  readonly size: number | null;
  readonly sha256: Buffer | null;
  readonly path: string | null;
}

/** An object that has been looked up in the store, with its bytes if it is small. */
interface FoundObject extends ListedObject {
  /** Undefined if the store does not have the object. */
  readonly found: { readonly size: number; readonly bytes: Buffer | undefined } | undefined;
}

/** Bytes up to which objects are read ahead. */
const smallBytes = 256 * 1024;

/** Objects that are read at the same time. The latency of a bucket would otherwise dominate with small ones. */
const readAhead = 16;

const pageSize = 500;

/**
 * Opens the list of all objects in use, as the transaction sees them. PostgreSQL keeps the list after the transaction, so
 * the transaction need not stay open and the list need not fit into this process's memory.
 */
export async function openObjectList(client: pg.Client): Promise<void> {
  await ask(
    client,
    `DECLARE objects NO SCROLL CURSOR WITH HOLD FOR
     SELECT o.key, a.size::float8 AS size, a.sha256, a.path_id AS path
     FROM stored_objects o LEFT JOIN attachments a ON a.object_key = o.key
     WHERE o.delete_after IS NULL`,
  );
}

/** Writes the objects of the list that {@link openObjectList} has opened. */
export class BackedUpObjects {
  readonly #client: pg.Client;
  readonly #open: () => Promise<FileStore>;
  readonly #faulty = new FaultyObjects();
  #objects = 0;
  #bytes = 0;

  /** @param open called when there is an object to write */
  constructor(client: pg.Client, open: () => Promise<FileStore>) {
    this.#client = client;
    this.#open = whenNeeded(open);
  }

  get written(): WrittenObjects {
    return { objects: this.#objects, bytes: this.#bytes, faulty: this.#faulty };
  }

  async *texts(): AsyncGenerator<string | Buffer> {
    for await (const object of inOrder(this.#list(), readAhead, (listed) => this.#find(listed)))
      yield* this.#textsOf(object);
  }

  async *#list(): AsyncGenerator<ListedObject> {
    for (;;) {
      const page = await ask<ListedObject>(this.#client, `FETCH ${pageSize} FROM objects`);
      yield* page;
      if (page.length < pageSize) return;
    }
  }

  async #find(listed: ListedObject): Promise<FoundObject> {
    const store = await this.#open();
    const known = listed.size;
    if (known !== null && known > smallBytes)
      return { ...listed, found: await this.#sizeOf(store, listed.key) };
    try {
      const found = await retrying(async () => {
        const { size, stream } = await store.get(listed.key);
        if (size <= smallBytes) return { size, bytes: await buffer(stream) };
        stream.on("error", () => {});
        stream.destroy();
        return { size, bytes: undefined };
      });
      return { ...listed, found };
    } catch (error) {
      if (error instanceof ObjectMissing) return { ...listed, found: undefined };
      throw error;
    }
  }

  async #sizeOf(store: FileStore, key: string): Promise<FoundObject["found"]> {
    const found = await retrying(() => store.stat(key));
    return found && { size: found.size, bytes: undefined };
  }

  async *#textsOf(object: FoundObject): AsyncGenerator<string | Buffer> {
    const { key, found } = object;
    const named = { key, ...(object.path !== null && { path: object.path }) };
    if (!found) {
      this.#faulty.add({ key, path: object.path ?? undefined, fault: "missing" });
      yield objectLine({ ...named, size: null, sha256: null });
      return;
    }
    const { size, bytes } = found;
    const sha256 = object.sha256 ?? (await this.#hashOf(key, bytes));
    yield objectLine({ ...named, size, sha256: sha256.toString("hex") });
    const hash = createHash("sha256");
    for await (const chunk of bytes ? [bytes] : readObject(await this.#open(), key)) {
      hash.update(chunk);
      if (chunk.length > 0) yield chunk;
    }
    yield "\n";
    this.#objects++;
    this.#bytes += size;
    if (!hash.digest().equals(sha256))
      this.#faulty.add({ key, path: object.path ?? undefined, fault: "changed" });
  }

  /** Hashes an object whose row has no hash. A large one is read twice: its line comes before its bytes. */
  async #hashOf(key: string, bytes: Buffer | undefined): Promise<Buffer> {
    if (bytes) return createHash("sha256").update(bytes).digest();
    const hashed: StoredFile | undefined = await hashObject(await this.#open(), key);
    if (!hashed) throw new ObjectMissing(key);
    return hashed.sha256;
  }
}

/** Maps the values with up to `limit` concurrent calls. Yields the results in the order of the values. */
async function* inOrder<Value, Result>(
  values: AsyncIterable<Value>,
  limit: number,
  map: (value: Value) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Array<Promise<Result>> = [];
  for await (const value of values) {
    const result = map(value);
    // Reported when it is awaited.
    result.catch(() => {});
    running.push(result);
    if (running.length >= limit) yield (await running.shift())!;
  }
  while (running.length > 0) yield (await running.shift())!;
}
