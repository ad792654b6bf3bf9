import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childEnvironment } from "@carillon/kit";
import { captureLog, useDatabase } from "@carillon/testkit";
import { expect } from "chai";
import { LogFile } from "./log-file.ts";
import { Preparation } from "./preparation.ts";

describe("the preparation", () => {
  const db = useDatabase();
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "carillon-preparation-"));
    await writeFile(script(), program("0"));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const script = () => join(dataDir, "prepare.mjs");
  /** Waits until it is let go, writes a line, ends. */
  const program = (code: string) => `
    import { appendFileSync } from "node:fs";
    process.once("message", ({ variables }) => {
      appendFileSync(${JSON.stringify(join(dataDir, "runs"))}, variables.SECRET_KEY + "\\n");
      console.error("the last word");
      process.exit(${code});
    });`;
  const runs = async () =>
    (await readFile(join(dataDir, "runs"), "utf8").catch(() => "")).split("\n").length - 1;
  const prepare = async ({ sure = false, ahead = false, redis }: Options = {}) => {
    const logFile = new LogFile(dataDir, "prepare");
    const plan = { script: script(), dataDir, logFile, log: captureLog().log };
    const preparation = new Preparation(plan);
    if (ahead) preparation.preload();
    const variables = { DATABASE_URL: db.url, REDIS_URL: redis, SECRET_KEY: "told" };
    await preparation.run(childEnvironment(variables), sure);
  };
  interface Options {
    sure?: boolean;
    ahead?: boolean;
    redis?: string;
  }

  it("runs once for a build and a database", async () => {
    await prepare({ sure: true, ahead: true });
    expect(await runs()).to.equal(1);
    await prepare();
    expect(await runs()).to.equal(1);
  });

  it("runs again if something is missing, with another build, and with queues on Redis", async () => {
    await prepare();
    await prepare({ sure: true });
    expect(await runs()).to.equal(2);
    await writeFile(script(), `${program("0")} // another`);
    await prepare();
    expect(await runs()).to.equal(3);
    await prepare({ redis: "redis://127.0.0.1" });
    expect(await runs()).to.equal(4);
  });

  it("runs again after a database was restored or its queues were recreated", async () => {
    await prepare();
    await db.rows(`UPDATE "_prisma_migrations" SET finished_at = finished_at - interval '1 day'`);
    await prepare();
    expect(await runs()).to.equal(2);
    await db.rows("ALTER TABLE bullmq.job RENAME TO old_job");
    try {
      await prepare();
      await prepare();
      expect(await runs()).to.equal(4);
    } finally {
      await db.rows("ALTER TABLE bullmq.old_job RENAME TO job");
    }
  });

  it("fails with the last log line, and runs again", async () => {
    await writeFile(script(), program("1"));
    const refusal = async () =>
      prepare().then(
        () => "",
        ({ message }: Error) => message,
      );
    expect(await refusal()).to.equal("the last word");
    expect(await refusal()).to.equal("the last word");
    expect(await runs()).to.equal(2);
  });
});
