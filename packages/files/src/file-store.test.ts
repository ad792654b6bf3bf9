import { createHash } from "node:crypto";
import { getEventListeners } from "node:events";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { newObjectKey, ObjectMissing, StorageUnavailable, type FileStore } from "./index.ts";
import { objectPath } from "./object-key.ts";
import { bodyOf, bytesOf, hashIn, mebibyte, StalledBody } from "./test-support/bodies.ts";
import { failureOf } from "./test-support/failure-of.ts";
import { openFileStore, storeKinds, type TestFileStore } from "./test-support/stores.ts";

for (const kind of storeKinds)
  describe(`The file store on ${kind}`, () => {
    let opened: TestFileStore | undefined;
    let store: FileStore;

    before(async function () {
      opened = await openFileStore(kind, this);
      store = opened.store;
    });

    after(() => opened?.close());

    const expectNothingUnder = async (key: string) => {
      expect(await store.stat(key)).to.equal(undefined);
      expect(await failureOf(store.get(key))).to.be.instanceOf(ObjectMissing);
      expect(await opened?.leftovers(objectPath(key))).to.deep.equal([]);
    };

    for (const size of [0, 1, 5 * mebibyte - 1, 5 * mebibyte, 5 * mebibyte + 1, 25 * mebibyte])
      it(`returns ${size} bytes as they were stored, with their hash`, async () => {
        const key = newObjectKey();
        const { body, sha256 } = bodyOf(size);
        expect(await store.put(key, body)).to.deep.equal({ size, sha256 });
        expect(await store.stat(key)).to.deep.equal({ size });
        const file = await store.get(key);
        expect(file).to.include({ size, length: size });
        expect(await hashIn(file.stream)).to.deep.equal(sha256);
        expect(await opened?.leftovers(objectPath(key))).to.deep.equal([]);
      });

    it("reads a whole object, and refuses one of another size", async () => {
      for (const size of [0, 10_000]) {
        const key = newObjectKey();
        await store.put(key, bodyOf(size).body);
        expect((await store.read(key, size)).equals(bytesOf(0, size - 1)), `${size}`).to.equal(
          true,
        );
        expect(await failureOf(store.read(key, size + 1))).to.be.instanceOf(StorageUnavailable);
      }
      const longer = newObjectKey();
      await store.put(longer, bodyOf(10).body);
      expect(await failureOf(store.read(longer, 9)))
        .to.be.instanceOf(StorageUnavailable)
        .and.match(/does not have 9 bytes/);
      expect(await failureOf(store.read(newObjectKey(), 9))).to.be.instanceOf(ObjectMissing);
    });

    it("returns ranges of bytes", async () => {
      const key = newObjectKey();
      const size = 6 * mebibyte;
      await store.put(key, bodyOf(size).body);
      const part = 5 * mebibyte;
      for (const [start, end] of [
        [0, 0],
        [1, 70_000],
        [part - 2, part + 1],
        [size - 1, size - 1],
        [size - 3, size + 100],
      ] as const) {
        const file = await store.get(key, { range: { start, end } });
        const wanted = bytesOf(start, Math.min(end, size - 1));
        expect(file, `${start}-${end}`).to.include({ size, length: wanted.length });
        expect((await buffer(file.stream)).equals(wanted), `${start}-${end}`).to.equal(true);
      }
    });

    it("refuses an invalid range, and one that begins after the last byte", async () => {
      const [short, empty] = [newObjectKey(), newObjectKey()];
      await store.put(short, bodyOf(10).body);
      await store.put(empty, bodyOf(0).body);
      for (const [key, start, end] of [
        [short, 10, 20],
        [short, 5, 2],
        [short, -1, 2],
        [empty, 0, 0],
      ] as const) {
        const failure = await failureOf(store.get(key, { range: { start, end } }));
        expect(failure, `${start}-${end}`).to.be.instanceOf(RangeError);
      }
    });

    it("reports missing objects", async () => {
      const key = newObjectKey();
      expect(await store.stat(key)).to.equal(undefined);
      expect(await failureOf(store.get(key))).to.be.instanceOf(ObjectMissing);
      const range = { start: 0, end: 9 };
      expect(await failureOf(store.get(key, { range }))).to.be.instanceOf(ObjectMissing);
    });

    it("deletes objects, and ignores missing and deleted ones", async () => {
      const [deleted, kept] = [newObjectKey(), newObjectKey()];
      for (const key of [deleted, kept]) await store.put(key, bodyOf(10).body);
      await store.delete([deleted, newObjectKey()]);
      await store.delete([deleted]);
      await store.delete([]);
      await expectNothingUnder(deleted);
      expect(await store.stat(kept)).to.deep.equal({ size: 10 });
    });

    it("deletes 1,000 objects at once, and refuses more", async () => {
      const keys = Array.from({ length: 1_000 }, newObjectKey);
      const some = keys.filter((_, index) => index % 50 === 0);
      for (const key of some) await store.put(key, bodyOf(1).body);
      await store.delete(keys);
      for (const key of some) expect(await store.stat(key)).to.equal(undefined);
      const tooMany = await failureOf(store.delete([...keys, newObjectKey()]));
      expect(tooMany).to.be.instanceOf(RangeError);
    });

    for (const size of [1_000, 12 * mebibyte])
      it(`keeps nothing of a body that breaks off after ${size} bytes`, async () => {
        const key = newObjectKey();
        const body = new StalledBody(size);
        const failure = failureOf(store.put(key, body));
        const broken = new Error("the client hung up");
        await body.drained();
        body.destroy(broken);
        expect(await failure).to.equal(broken);
        await expectNothingUnder(key);
      });

    it("keeps nothing of a body that is closed before its end", async () => {
      const key = newObjectKey();
      const body = new StalledBody(1_000);
      const failure = failureOf(store.put(key, body));
      await body.drained();
      body.destroy();
      expect(await failure).to.match(/closed before its end/);
      await expectNothingUnder(key);
    });

    for (const size of [0, 7 * mebibyte])
      it(`rejects with the reason of its signal after ${size} bytes of a body that stalls`, async () => {
        const key = newObjectKey();
        const body = new StalledBody(size);
        const ending = new AbortController();
        const failure = failureOf(store.put(key, body, { signal: ending.signal }));
        await body.drained();
        const reason = new Error("the deadline has passed");
        ending.abort(reason);
        expect(await failure).to.equal(reason);
        expect(body.destroyed).to.equal(false);
        // As delete-objects does for unused objects: S3 may store a part after the abort that followed it.
        const isGone = async () => {
          await store.delete([key]);
          return (await opened?.leftovers(objectPath(key)))?.length === 0;
        };
        await waitFor(isGone, { what: "nothing is left of the upload" });
        expect(await store.stat(key)).to.equal(undefined);
        body.destroy();
      });

    it("stores and reads nothing with an aborted signal", async () => {
      const key = newObjectKey();
      const reason = new Error("too late");
      const signal = AbortSignal.abort(reason);
      expect(await failureOf(store.put(key, bodyOf(10).body, { signal }))).to.equal(reason);
      expect(await failureOf(store.get(key, { signal }))).to.equal(reason);
      await expectNothingUnder(key);
    });

    it("keeps no listener on the signal of a call that has ended", async () => {
      const { signal } = new AbortController();
      const key = newObjectKey();
      await store.put(key, bodyOf(10).body, { signal });
      await store.stat(key, { signal });
      expect(getEventListeners(signal, "abort")).to.deep.equal([]);
    });

    it("stores two bodies concurrently", async () => {
      const sizes = [11 * mebibyte, 7 * mebibyte] as const;
      const stored = await Promise.all(
        sizes.map(async (size) => {
          const key = newObjectKey();
          await store.put(key, bodyOf(size).body);
          return { key, size };
        }),
      );
      for (const { key, size } of stored) {
        const { stream } = await store.get(key);
        expect(await hashIn(stream)).to.deep.equal(bodyOf(size).sha256);
      }
    });

    it("writes all bytes into a stream that is slow, and stops when that is closed", async () => {
      const key = newObjectKey();
      const size = 3 * mebibyte + 1;
      const { body, sha256 } = bodyOf(size);
      await store.put(key, body);
      const hash = createHash("sha256");
      const slow = new Writable({
        highWaterMark: 1,
        // Looks at the bytes late: by then a buffer may have been used again too early.
        write: (chunk: Buffer, _, done) => setImmediate(() => done(void hash.update(chunk))),
      });
      await pipeline((await store.get(key)).stream, slow);
      expect(hash.digest()).to.deep.equal(sha256);
      const { stream } = await store.get(key);
      const broken = new Writable({ write: () => broken.destroy(new Error("the reader hung up")) });
      expect(await failureOf(pipeline(stream, broken))).to.match(/hung up/);
      await waitFor(() => stream.closed, { what: "the object is closed" });
    });

    it("gives a reader and a pipe the same bytes", async () => {
      const key = newObjectKey();
      const { body, sha256 } = bodyOf(mebibyte + 1);
      await store.put(key, body);
      const { stream } = await store.get(key);
      const [read, piped] = [createHash("sha256"), createHash("sha256")];
      stream.on("data", (chunk: Buffer) => read.update(chunk));
      await pipeline(
        stream,
        new Writable({ write: (chunk: Buffer, _, done) => done(void piped.update(chunk)) }),
      );
      expect(read.digest()).to.deep.equal(sha256);
      expect(piped.digest()).to.deep.equal(sha256);
    });

    it("ends a stream when its signal is aborted or its reader stops early", async () => {
      const key = newObjectKey();
      await store.put(key, bodyOf(9 * mebibyte).body);
      const ending = new AbortController();
      const first = await store.get(key, { signal: ending.signal });
      const failure = failureOf(hashIn(first.stream));
      ending.abort(new Error("enough"));
      expect(await failure).to.have.property("name", "AbortError");
      const second = await store.get(key);
      for await (const _ of second.stream) break;
      expect(second.stream.destroyed).to.equal(true);
      const third = await store.get(key);
      expect(await hashIn(third.stream)).to.deep.equal(bodyOf(9 * mebibyte).sha256);
    });

    it("refuses a path instead of a key", async () => {
      const key = `../${newObjectKey().slice(3)}`;
      for (const work of [
        () => store.put(key, bodyOf(1).body),
        () => store.get(key),
        () => store.stat(key),
        () => store.delete([key]),
      ])
        expect(await failureOf(work())).to.be.instanceOf(TypeError);
    });

    it("passes several concurrent checks", async () => {
      await Promise.all([store.check(), store.check(), store.check()]);
      expect(await opened?.leftovers("carillon-check")).to.deep.equal([]);
    });
  });
