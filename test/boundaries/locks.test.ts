import { lockOrder } from "@carillon/db";
import { expect } from "chai";
import { readProductionFiles } from "./source-files.ts";

/** SQL that waits for a lock; SKIP LOCKED and attempts that do not wait are excluded. */
const waits =
  /\bFOR (?:NO KEY UPDATE|UPDATE|SHARE|KEY SHARE)\b(?!(?: OF \w+)? SKIP LOCKED)|\bpg_advisory_/;

/** Files that declare locks, and files whose sessions take locks before anything else runs. */
const elsewhere = new Set([
  "packages/db/src/lock-order.ts",
  "packages/db/src/locks.ts",
  "packages/db/src/migrations.ts",
  "packages/testkit/src/initialised-data-dir.ts",
  "packages/testkit/src/template.ts",
]);

describe("Locks", () => {
  const sources = () => readProductionFiles(["packages", "apps"]);

  it("are taken through Tx.lock", async () => {
    const found = (await sources()).filter(
      ({ path, text }) =>
        waits.test(text) && !elsewhere.has(path) && !/\btx\.lock(?:<[^(]*>)?\(/.test(text),
    );
    expect(found.map(({ path }) => path)).to.deep.equal([]);
  });

  it("of rows are FOR NO KEY UPDATE, because FOR UPDATE blocks foreign key checks", async () => {
    const found = (await sources()).filter(({ text }) => /\bFOR UPDATE\b/.test(text));
    expect(found.map(({ path }) => path)).to.deep.equal([]);
  });

  it("in the lock order are used", async () => {
    const text = (await sources())
      .filter(({ path }) => path !== "packages/db/src/lock-order.ts")
      .map((source) => source.text)
      .join();
    const taken = (name: string) =>
      new RegExp(`name: "${name}"|(?:lock|hold)Key(?:WithCommit)?\\(tx, "${name}"`).test(text);
    expect(lockOrder.filter((name) => !taken(name))).to.deep.equal([]);
  });
});
