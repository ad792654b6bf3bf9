import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { readEnvironment } from "@carillon/kit";
import { expect } from "chai";

import { fileStoreFromEnvironment, newObjectKey, ObjectMissing, type FileStore } from "./index.ts";

describe("The file store on disk", () => {
  let folder: string;
  let store: FileStore;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-files-"));
    store = fileStoreFromEnvironment(readEnvironment({ FILES_DIR: join(folder, "files") }));
  });

  after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  for (const size of [0, 1, 1_000_000])
    it(`returns the ${size} bytes that were stored, with their hash`, async () => {
      const content = randomBytes(size);
      const key = newObjectKey();
      const stored = await store.put(key, Readable.from(content, { objectMode: false }));
      const sha256 = createHash("sha256").update(content).digest();
      expect(stored).to.deep.equal({ size, sha256 });
      const opened = await store.get(key);
      expect(opened).to.include({ size, length: size });
      expect((await buffer(opened.stream)).equals(content)).to.equal(true);
      expect(await store.stat(key)).to.deep.equal({ size });
    });

  it("returns a range of bytes", async () => {
    const key = newObjectKey();
    await store.put(key, Readable.from([Buffer.from("0123456789")]));
    const read = async (start: number, end: number) => {
      const { stream, size, length } = await store.get(key, { range: { start, end } });
      return [String(await buffer(stream)), size, length];
    };
    expect(await read(0, 0)).to.deep.equal(["0", 10, 1]);
    expect(await read(3, 5)).to.deep.equal(["345", 10, 3]);
    expect(await read(8, 99)).to.deep.equal(["89", 10, 2]);
  });

  it("reports a missing object, and deletes objects that may be missing", async () => {
    const key = newObjectKey();
    await store.put(key, Readable.from([Buffer.from("content")]));
    await store.delete([key, newObjectKey()]);
    await store.delete([key]);
    expect(await store.stat(key)).to.equal(undefined);
    const failure = await store.get(key).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ObjectMissing);
  });

  it("gives files and folders to its own user only", async () => {
    const key = newObjectKey();
    await store.put(key, Readable.from([Buffer.from("content")]));
    const root = join(folder, "files");
    const modeOf = async (...path: string[]) => (await stat(join(root, ...path))).mode & 0o777;
    const [first = "", second = ""] = key;
    expect(await modeOf(first, second, key)).to.equal(0o600);
    expect(await modeOf(first, second)).to.equal(0o700);
    expect(await modeOf(first)).to.equal(0o700);
    expect(await modeOf()).to.equal(0o700);
    expect(await readdir(join(root, "tmp"))).to.deep.equal([]);
  });

  it("passes its check", async () => {
    await store.check();
  });
});
