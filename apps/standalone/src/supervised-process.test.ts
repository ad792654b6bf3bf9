import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ping, pong } from "@carillon/kit";
import { captureLog, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { LogFile } from "./log-file.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { hangs } from "./watchdog.ts";

describe("A supervised process", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-supervised-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("that hangs is replaced, and the new one serves", async () => {
    const script = join(folder, "child.mjs");
    await writeFile(
      script,
      `process.on("message", (m) => {
        if (m !== ${JSON.stringify(ping)}) return;
        process.send(${JSON.stringify(pong)});
        console.log("answered by " + process.pid);
      });`,
    );
    const { log, lines } = captureLog();
    const logFile = new LogFile(folder, "child");
    const child = new SupervisedProcess({
      name: "child",
      script,
      env: () => ({ ...process.env }),
      logFile,
      log,
      askEveryMs: 200,
    });
    const answers = async () => {
      const { pid } = child;
      await waitFor(() => logFile.lastWord(0) === `answered by ${pid}`, {
        what: "the child answers",
      });
      return pid ?? 0;
    };
    child.start();
    child.markStarted();
    try {
      const first = await answers();
      process.kill(first, "SIGSTOP");
      await waitFor(() => child.pid !== undefined && child.pid !== first, {
        what: "another process is there",
      });
      expect(await answers()).not.to.equal(first);
      expect(() => process.kill(first, 0)).to.throw();
      expect(lines.map(({ msg }) => msg)).to.include(
        "a child process does not answer; replacing it",
      );
    } finally {
      await child.stop();
    }
  });
});

describe("The watchdog", () => {
  it("takes any answer for one, and waits for the first as long as a start may take", async () => {
    const end = new AbortController();
    let asked = 0;
    const watching = hangs({
      everyMs: 5,
      signal: end.signal,
      ask: async () => {
        if (++asked === 20) end.abort();
        throw new Error("not yet");
      },
    });
    expect(await watching).to.equal(false);
    expect(asked).to.equal(20);
  });

  it("does not count the time in which it could not ask itself", async () => {
    const end = new AbortController();
    let asked = 0;
    const watching = hangs({
      everyMs: 5,
      signal: end.signal,
      ask: async () => {
        asked++;
        if (asked === 1) return;
        if (asked === 10) end.abort();
        // As when the machine sleeps: nobody here runs, for longer than two questions are apart.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        throw new Error("no answer");
      },
    });
    expect(await watching).to.equal(false);
    expect(asked).to.equal(10);
  });

  it("calls a process hung after three questions without an answer", async () => {
    let asked = 0;
    const watching = hangs({
      // Long enough for a busy machine not to take its own delay for sleep.
      everyMs: 300,
      signal: new AbortController().signal,
      ask: (signal) =>
        ++asked === 1
          ? Promise.resolve()
          : new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason as Error)),
            ),
    });
    expect(await watching).to.equal(true);
    expect(asked).to.be.at.least(4);
  });
});
