import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Semaphore } from "@carillon/kit";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { newObjectKey } from "../object-key.ts";
import { ObjectMissing, StorageUnavailable, type FileStore } from "../store.ts";
import { bodyOf, hashIn, mebibyte, StalledBody } from "../test-support/bodies.ts";
import { failureOf } from "../test-support/failure-of.ts";
import { diskStore } from "./disk-store.ts";

describe("The file store on disk", () => {
  let top: string;
  let root: string;

  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), "carillon-files-"));
    root = join(top, "made", "files");
  });

  afterEach(async () => {
    await rm(top, { recursive: true });
  });

  const objectsIn = async (folder: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && !entry.parentPath.endsWith("/tmp"));
  };
  const temporaryFiles = () => readdir(join(root, "tmp"));

  it("creates files and folders that only its own user may read", async () => {
    const key = newObjectKey();
    await diskStore(root).put(key, bodyOf(10).body);
    const modeOf = async (...path: string[]) => (await stat(join(root, ...path))).mode & 0o777;
    const [first = "", second = ""] = key;
    expect(await modeOf(first, second, key)).to.equal(0o600);
    for (const folder of [[first, second], [first], ["tmp"], [], [".."]])
      expect(await modeOf(...folder), folder.join("/")).to.equal(0o700);
  });

  it("reports that its folder is missing, and works again without a restart when it is back", async () => {
    const store = diskStore(root);
    const [before, after] = [newObjectKey(), newObjectKey()];
    await store.put(before, bodyOf(10).body);
    await rename(root, `${root}-away`);
    for (const work of [
      () => store.put(after, bodyOf(10).body),
      () => store.get(before),
      () => store.stat(before),
      () => store.delete([before]),
      () => store.check(),
    ])
      expect(await failureOf(work()))
        .to.be.instanceOf(StorageUnavailable)
        .with.property("message")
        .that.matches(/^FILES_DIR \/.*: the folder no longer exists; .* mounted\? \(ENOENT\)$/);
    // An empty mount point must not be taken for the store.
    await mkdir(root);
    expect(await failureOf(store.get(before))).to.be.instanceOf(StorageUnavailable);
    expect(await failureOf(store.put(after, bodyOf(10).body))).to.be.instanceOf(StorageUnavailable);
    await rm(root, { recursive: true });
    await rename(`${root}-away`, root);
    await store.put(after, bodyOf(10).body);
    for (const key of [before, after]) expect(await store.stat(key)).to.deep.equal({ size: 10 });
  });

  it("re-creates removed folders of objects", async () => {
    const store = diskStore(root);
    const key = newObjectKey();
    await store.put(key, bodyOf(10).body);
    await rm(join(root, key.charAt(0)), { recursive: true });
    expect(await failureOf(store.get(key))).to.be.instanceOf(ObjectMissing);
    await store.put(key, bodyOf(10).body);
    expect(await store.stat(key)).to.deep.equal({ size: 10 });
  });

  it("reports that FILES_DIR is not a folder", async () => {
    await writeFile(join(top, "made"), "");
    expect(await failureOf(diskStore(root).check()))
      .to.be.instanceOf(StorageUnavailable)
      .with.property("message")
      .that.matches(/^FILES_DIR .*: this is not a folder; .* \(ENOTDIR\)$/);
  });

  it("reports that it may not write", async function () {
    // Root may write in spite of the mode.
    if (process.getuid?.() === 0) this.skip();
    await mkdir(root, { recursive: true });
    await chmod(root, 0o500);
    const failure = await failureOf(diskStore(root).put(newObjectKey(), bodyOf(10).body));
    expect(failure)
      .to.be.instanceOf(StorageUnavailable)
      .and.match(/may not read and write/);
    await chmod(root, 0o700);
  });

  describe("on a small file system", () => {
    const mount = (...options: string[]) =>
      execFileSync("mount", ["-t", "tmpfs", "-o", ...options], { stdio: "ignore" });
    let isMounted = false;

    beforeEach(async function () {
      await mkdir(root, { recursive: true });
      try {
        mount("size=8m,mode=0700", "carillon-test", root);
        isMounted = true;
      } catch {
        // Only root may mount, and some containers forbid it to root too.
        this.skip();
      }
    });

    afterEach(() => {
      if (isMounted) execFileSync("umount", [root]);
      isMounted = false;
    });

    it("reports a full disk, keeps nothing of the file, and then stores a file that fits", async () => {
      const store = diskStore(root);
      const failure = await failureOf(store.put(newObjectKey(), bodyOf(9 * mebibyte).body));
      expect(failure)
        .to.be.instanceOf(StorageUnavailable)
        .with.property("message")
        .that.matches(/^FILES_DIR .*: the disk is full; .* \(ENOSPC\)$/);
      expect(await temporaryFiles()).to.deep.equal([]);
      expect(await objectsIn(root)).to.deep.equal([]);
      const key = newObjectKey();
      await store.put(key, bodyOf(7 * mebibyte).body);
      expect(await store.stat(key)).to.deep.equal({ size: 7 * mebibyte });
    });

    it("reports a read-only file system, reads from it, and writes when it is writable again", async () => {
      const [key, refused] = [newObjectKey(), newObjectKey()];
      await diskStore(root).put(key, bodyOf(10).body);
      mount("remount,ro", root);
      // A store whose first use finds the read-only file system.
      const store = diskStore(root);
      expect(await hashIn((await store.get(key)).stream)).to.deep.equal(bodyOf(10).sha256);
      for (const work of [
        () => store.put(refused, bodyOf(10).body),
        () => store.delete([key]),
        () => store.check(),
      ])
        expect(await failureOf(work()))
          .to.be.instanceOf(StorageUnavailable)
          .with.property("message")
          .that.matches(/^FILES_DIR .*: the file system is read-only; .* \(EROFS\)$/);
      mount("remount,rw", root);
      await store.put(refused, bodyOf(10).body);
      await store.delete([key]);
      expect(await store.stat(key)).to.equal(undefined);
    });
  });

  describe("on a disk that hangs", () => {
    const limitMs = 500;
    let operations: Semaphore;
    let store: FileStore;
    /** Prepares what the tests need: on a busy machine, a disk that works may take longer than the limit. */
    let patient: FileStore;

    beforeEach(() => {
      operations = new Semaphore(2);
      store = diskStore(root, { limitMs, operations });
      patient = diskStore(root);
    });

    const expectHung = async (work: Promise<unknown>) => {
      expect(await failureOf(work))
        .to.be.instanceOf(StorageUnavailable)
        .with.property("message")
        .that.matches(/^FILES_DIR .*: an operation has not ended within 0\.5 s; check the disk/);
    };
    const openFiles = async () => {
      const links = await readdir("/proc/self/fd");
      const paths = await Promise.all(
        links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => "")),
      );
      return paths.filter((path) => path.startsWith(top));
    };
    /** Waits until nothing is left of calls that have failed. */
    const settled = async () => {
      await waitFor(async () => (await openFiles()).length === 0 && areFree(), {
        what: "all files are closed, and no operation runs",
      });
    };
    const areFree = () => {
      const taken = [operations.tryAcquire(), operations.tryAcquire()].filter(Boolean);
      for (const _ of taken) operations.release();
      return taken.length === 2;
    };

    describe("for writes", () => {
      let isMounted = false;

      beforeEach(async function () {
        await mkdir(root, { recursive: true });
        const image = join(top, "image");
        try {
          await writeFile(image, "");
          await truncate(image, 32 * mebibyte);
          execFileSync("mkfs.ext4", ["-q", image], { stdio: "ignore" });
          execFileSync("mount", ["-o", "loop", image, root], { stdio: "ignore" });
          isMounted = true;
        } catch {
          // Only root may mount, and some containers have no loop devices.
          this.skip();
        }
      });

      afterEach(() => {
        if (isMounted) execFileSync("umount", [root]);
        isMounted = false;
      });

      it("fails every call in time, keeps threads free, and cleans up when the disk is back", async () => {
        const key = newObjectKey();
        await patient.put(key, bodyOf(10).body);
        const begun = new StalledBody(1_000);
        const beginning = expectHung(store.put(newObjectKey(), begun));
        await begun.drained();
        execFileSync("fsfreeze", ["--freeze", root]);
        try {
          // As much as is written at once.
          begun.write(Buffer.alloc(mebibyte));
          await beginning;
          await Promise.all([
            ...Array.from({ length: 20 }, () =>
              expectHung(store.put(newObjectKey(), bodyOf(10).body)),
            ),
            expectHung(store.delete([key])),
            expectHung(store.check()),
            expectHung(store.get(key)),
            expectHung(store.stat(key)),
          ]);
          // The hung calls occupy threads, but not all: this needs one.
          expect(await readFile("/proc/self/comm", "utf8")).to.not.equal("");
        } finally {
          execFileSync("fsfreeze", ["--unfreeze", root]);
        }
        await settled();
        await waitFor(async () => (await temporaryFiles()).length === 0, {
          what: "temporary files are removed",
        });
        // The deletion was on its way when the disk hung.
        for (const { name } of await objectsIn(root)) expect(name).to.equal(key);
        const later = newObjectKey();
        await waitFor(() => store.put(later, bodyOf(10).body), { what: "the store works again" });
        expect(await patient.stat(later)).to.deep.equal({ size: 10 });
      });
    });

    it("fails to open a file in time, and closes it when it is open", async () => {
      const key = newObjectKey();
      await patient.put(key, bodyOf(10).body);
      const [first = "", second = ""] = key;
      const path = join(root, first, second, key);
      await rm(path);
      execFileSync("mkfifo", [path]);
      await expectHung(store.get(key));
      // Lets the hung `open` return.
      const writer = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
      await writer.close();
      await settled();
    });

    it("fails a stream whose read takes too long", async () => {
      const key = newObjectKey();
      await patient.put(key, bodyOf(mebibyte).body);
      const { stream } = await store.get(key);
      await operations.acquire();
      await operations.acquire();
      await expectHung(hashIn(stream));
      operations.release();
      operations.release();
      await settled();
    });
  });

  describe("after a crash", () => {
    it("has no object if the process was killed before the end of its body, or of its rename", async () => {
      const program = fileURLToPath(new URL("../test-support/crash-main.ts", import.meta.url));
      const execArgv = ["--import=tsx", "--conditions=source"];
      const keys = [newObjectKey(), newObjectKey()];
      const child = fork(program, [root, ...keys], { execArgv });
      const [message] = (await once(child, "message")) as [unknown];
      expect(message).to.equal("there");
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(await temporaryFiles()).to.have.length(2);
      expect(await objectsIn(root)).to.deep.equal([]);
      for (const key of keys) expect(await diskStore(root).stat(key)).to.equal(undefined);
    });

    it("removes only temporary files without a write for 24 hours", async () => {
      const store = diskStore(root);
      await store.put(newObjectKey(), bodyOf(10).body);
      const left = "of-a-crashed-process";
      await writeFile(join(root, "tmp", left), "");
      await writeFile(join(root, "tmp", "of-another-process"), "");
      const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
      await utimes(join(root, "tmp", left), hoursAgo(25), hoursAgo(25));
      await utimes(join(root, "tmp", "of-another-process"), hoursAgo(23), hoursAgo(23));
      await diskStore(root).put(newObjectKey(), bodyOf(10).body);
      expect(await temporaryFiles()).to.deep.equal(["of-another-process"]);
    });
  });
});
