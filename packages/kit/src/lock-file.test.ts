import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { takeLockFile } from "./lock-file.mjs";
import { processStatus } from "./process-status.mjs";

describe("a lock file", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "carillon-lock-"));
    path = join(folder, "lock");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const take = () => {
    const lock = takeLockFile(path);
    if (!("release" in lock)) throw new Error(`process ${lock.heldBy} has it`);
    return lock;
  };

  it("is held by one process at a time, and leaves nothing behind", () => {
    const lock = take();
    expect(lock.replaced).to.equal(false);
    expect(takeLockFile(path)).to.deep.equal({ heldBy: process.pid });
    expect(readdirSync(folder)).to.deep.equal(["lock"]);
    lock.release();
    lock.release();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it("of a killed process is replaced", async () => {
    const module = fileURLToPath(new URL("./lock-file.mjs", import.meta.url));
    const script = `import { takeLockFile } from ${JSON.stringify(module)};
      takeLockFile(${JSON.stringify(path)}); console.log("taken"); setInterval(() => {}, 1_000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
    await once(child.stdout, "data");
    expect(takeLockFile(path)).to.deep.equal({ heldBy: child.pid });
    child.kill("SIGSTOP");
    expect(takeLockFile(path), "while it is frozen").to.deep.equal({ heldBy: child.pid });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(take().replaced).to.equal(true);
  });

  it("of a dead process is replaced even if its process id has been reused", function () {
    if (!processStatus(process.pid)) return this.skip();
    for (const text of [`${process.pid} 1`, "", "nonsense"]) {
      writeFileSync(path, text);
      const lock = take();
      expect(lock.replaced, text).to.equal(true);
      lock.release();
    }
  });

  it("of another user is held while its process lives, replaced after that, and an error if unreadable", async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const nobody = 65_534;
    const module = fileURLToPath(new URL("./lock-file.mjs", import.meta.url));
    const status = fileURLToPath(new URL("./process-status.mjs", import.meta.url));
    for (const file of [module, status]) copyFileSync(file, join(folder, basename(file)));
    chownSync(folder, nobody, nobody);
    const script = `import { takeLockFile } from ${JSON.stringify(join(folder, basename(module)))};
      try { console.log(JSON.stringify(takeLockFile(${JSON.stringify(path)}))) } catch (error) { console.log(error.code) }`;
    const taken = () =>
      execFileSync(process.execPath, ["--input-type=module", "-e", script], {
        uid: nobody,
        gid: nobody,
        cwd: "/",
        env: {},
        timeout: 20_000,
        killSignal: "SIGKILL",
      })
        .toString()
        .trim();
    const lock = take();
    expect(JSON.parse(taken())).to.deep.equal({ heldBy: process.pid });
    lock.release();
    writeFileSync(path, "1000000000 1", { mode: 0o644 });
    expect(JSON.parse(taken())).to.deep.equal({ replaced: true });
    writeFileSync(path, "1000000000 1");
    chmodSync(path, 0o600);
    chownSync(path, 0, 0);
    expect(taken()).to.equal("EACCES");
  });

  it("is not removed by its earlier holder", () => {
    const lock = take();
    writeFileSync(path, "somebody else");
    lock.release();
    expect(readFileSync(path, "utf8")).to.equal("somebody else");
  });
});
