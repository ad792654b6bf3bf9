import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { diskStore } from "./disk/disk-store.ts";
import { newObjectKey } from "./object-key.ts";
import { BodyTooSlow, StorageUnavailable } from "./store.ts";
import { bodyOf } from "./test-support/bodies.ts";
import { failureOf } from "./test-support/failure-of.ts";
import { watchStore, type WatchedStore } from "./watch-store.ts";

describe("A watched file store", () => {
  let top: string;
  let root: string;
  let store: WatchedStore;
  const seen: string[] = [];

  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), "carillon-files-"));
    root = join(top, "files");
    seen.length = 0;
    store = watchStore(diskStore(root), {
      onUnavailable: ({ message }) => seen.push(message),
      onAvailable: (seconds) => seen.push(`available after ${seconds >= 0} s`),
      checkEveryMs: 10,
      settleMs: 50,
    });
  });

  afterEach(async () => {
    await store.close();
    await rm(top, { recursive: true });
  });

  it("reports once that the store is unavailable, and once that it is back, without calls", async () => {
    await store.put(newObjectKey(), bodyOf(10).body);
    expect(store.isUnavailable).to.equal(false);
    await rename(root, `${root}-away`);
    const calls = [
      store.put(newObjectKey(), bodyOf(10).body),
      store.put(newObjectKey(), bodyOf(10).body),
      store.stat(newObjectKey()),
      store.delete([newObjectKey()]),
    ];
    for (const call of calls) expect(await failureOf(call)).to.be.instanceOf(StorageUnavailable);
    expect(store.isUnavailable).to.equal(true);
    expect(seen).to.have.length(1);
    expect(seen[0]).to.match(/the folder no longer exists/);
    await rename(`${root}-away`, root);
    await waitFor(() => !store.isUnavailable, { what: "the store is available" });
    expect(seen.slice(1)).to.deep.equal(["available after true s"]);
    expect(store.counts).to.deep.equal({ stored: 1, storedBytes: 10, unavailable: 2, broken: 0 });
  });

  it("does not blame the store for bodies that break off or are too slow, missing objects and late ranges", async () => {
    const slow = new PassThrough();
    const tooSlow = failureOf(store.put(newObjectKey(), slow));
    slow.destroy(new BodyTooSlow("the body was too slow"));
    expect(await tooSlow).to.match(/too slow/);
    const body = new PassThrough();
    const failure = failureOf(store.put(newObjectKey(), body));
    body.destroy(new Error("the client hung up"));
    expect(await failure).to.match(/hung up/);
    await failureOf(store.get(newObjectKey()));
    const key = newObjectKey();
    await store.put(key, bodyOf(10).body);
    await failureOf(store.get(key, { range: { start: 10, end: 20 } }));
    expect(store.isUnavailable).to.equal(false);
    expect(store.counts).to.deep.equal({ stored: 1, storedBytes: 10, unavailable: 0, broken: 2 });
    expect(seen).to.deep.equal([]);
  });
});
