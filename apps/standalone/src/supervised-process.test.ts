import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";

import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ping, pong } from "@carillon/kit";
import { captureLog, installation, reservePort, useDatabase, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { LogFile } from "./log-file.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { hangs } from "./watchdog.ts";

describe("a supervised process", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-supervised-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is replaced when it hangs, and the new one serves", async () => {
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
    // On a busy machine, a child that starts may be replaced once more.
    const answers = () =>
      waitFor(() => logFile.lastErrorLine(0) === `answered by ${child.pid}` && child.pid, {
        what: "the child answers",
      });
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

describe("a supervised gateway", () => {
  const db = useDatabase();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-supervised-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("is replaced when it hangs, and the new one serves", async () => {
    const port = await reservePort();
    const address = `http://127.0.0.1:${port}`;
    const entry = process.env["CARILLON_TEST_BUILT"] === "true" ? "dist/main.js" : "src/main.ts";
    const logFile = new LogFile(folder, "gateway");
    const gateway = new SupervisedProcess({
      name: "gateway",
      script: fileURLToPath(new URL(`../../gateway/${entry}`, import.meta.url)),
      env: () => ({ ...process.env, ...installation(db.url), PORT: String(port) }),
      logFile,
      log: captureLog().log,
      // One that nobody else asks: the log tells when the watchdog has had an answer.
      url: `${address}/api/v1/openapi.json`,
      askEveryMs: 1_000,
    });
    const serves = () =>
      waitFor(
        () =>
          fetch(`${address}/health`).then(
            ({ ok }) => ok,
            () => false,
          ),
        { what: "the gateway serves" },
      );
    gateway.start();
    gateway.markStarted();
    try {
      await waitFor(
        async () => (await readFile(logFile.path, "utf8")).split("openapi").length > 3,
        {
          what: "the gateway has answered the watchdog",
        },
      );
      const { pid: first = 0 } = gateway;
      process.kill(first, "SIGSTOP");
      await waitFor(() => gateway.pid !== undefined && gateway.pid !== first, {
        what: "another process is there",
      });
      await serves();
    } finally {
      await gateway.stop();
    }
  });
});

describe("the watchdog", () => {
  /** By this clock it always ran: on a busy machine it would take its own delay for sleep, and begin to count again. */
  const neverAsleep = () => 0;

  it("detects a process that hangs although garbage is collected meanwhile", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    let asked = 0;
    const watching = hangs({
      everyMs: 20,
      now: neverAsleep,
      signal: new AbortController().signal,
      ask: async () => {
        if (++asked === 1) return;
        setImmediate(collectGarbage);
        await new Promise(() => {});
      },
    });
    expect(await watching).to.equal(true);
  });

  it("accepts any answer, and waits for the first as long as a start may take", async () => {
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

  it("ignores time in which its own process did not run", async () => {
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

  it("reports a process as hung after three unanswered questions", async () => {
    let asked = 0;
    const watching = hangs({
      everyMs: 5,
      now: neverAsleep,
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
