import { Semaphore } from "@carillon/kit";
import { expect } from "chai";

import { failureOf } from "../test-support/failure-of.ts";
import { FolderSyncs } from "./folder-syncs.ts";

describe("Syncs of folders", () => {
  /** The running syncs; the tests end them. */
  let running: Array<{ folder: string; resolve: () => void; reject: (error: Error) => void }>;
  let syncs: FolderSyncs;
  beforeEach(() => {
    running = [];
    const sync = (folder: string) =>
      new Promise<void>((resolve, reject) => running.push({ folder, resolve, reject }));
    syncs = new FolderSyncs(new Semaphore(2), sync);
  });
  /** Lets promises proceed. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const folders = () => running.map(({ folder }) => folder);

  it("are shared by calls that come while another one runs, and not with that one", async () => {
    const first = syncs.sync("a");
    await turn();
    let isSecondDone = false;
    const second = syncs.sync("a").then(() => (isSecondDone = true));
    const third = syncs.sync("a");
    await turn();
    expect(folders()).to.deep.equal(["a"]);
    running.at(0)?.resolve();
    await first;
    await turn();
    expect(isSecondDone).to.equal(false);
    expect(folders()).to.deep.equal(["a", "a"]);
    running.at(1)?.resolve();
    await Promise.all([second, third]);
    const fourth = syncs.sync("a");
    await turn();
    expect(folders()).to.deep.equal(["a", "a", "a"]);
    running.at(2)?.resolve();
    await fourth;
  });

  it("run beside those of other folders, as far as operations are free", async () => {
    const all = ["a", "b", "c"].map((folder) => syncs.sync(folder));
    await turn();
    expect(folders()).to.deep.equal(["a", "b"]);
    running.at(1)?.resolve();
    await all[1];
    await turn();
    expect(folders()).to.deep.equal(["a", "b", "c"]);
    for (const { resolve } of running) resolve();
    await Promise.all(all);
  });

  it("fail for the calls that share them, and succeed afterwards", async () => {
    const failures = [failureOf(syncs.sync("a"))];
    await turn();
    const others = [syncs.sync("a"), syncs.sync("a")];
    running.at(0)?.reject(new Error("first"));
    expect(await failures[0]).to.have.property("message", "first");
    await turn();
    running.at(1)?.reject(new Error("second"));
    for (const other of others)
      expect(await failureOf(other)).to.have.property("message", "second");
    const last = syncs.sync("a");
    await turn();
    running.at(2)?.resolve();
    await last;
  });
});
