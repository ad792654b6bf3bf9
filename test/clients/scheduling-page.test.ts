import { execFile, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Database } from "@carillon/db";
import {
  later,
  startFaultProxy,
  useBlocker,
  useProcesses,
  waitFor,
  type FaultProxy,
} from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer, type Server } from "./support/server.ts";

const page = fileURLToPath(new URL("../../docs/scheduling.md", import.meta.url));

/** Returns the page's program with this file name in its first line. */
async function programOf(name: string): Promise<string> {
  const blocks = [...(await readFile(page, "utf8")).matchAll(/^```\w+\n([\s\S]*?)^```/gm)];
  const found = blocks
    .map(([, text = ""]) => text)
    .filter((text) => text.split("\n")[0]?.includes(name));
  expect(found, `programs named ${name}`).to.have.length(1);
  return found[0] ?? "";
}

/** Returns the page's shell line that calls the path. */
async function lineOf(path: string): Promise<string> {
  const blocks = [...(await readFile(page, "utf8")).matchAll(/^```sh\n([\s\S]*?)^```/gm)];
  const found = blocks
    .map(([, text = ""]) => text)
    .filter((text) => text.includes(`SITE/api/v1/${path} `));
  expect(found, `lines that call ${path}`).to.have.length(1);
  return found[0] ?? "";
}

/** Texts and times of the member's scheduled messages. */
async function scheduled(server: Server): Promise<ReadonlyArray<readonly [string, number]>> {
  const { body } = await server.as("member").get("/api/v1/scheduled_messages");
  const rows = body["scheduled_messages"] as ReadonlyArray<{
    content: string;
    scheduled_delivery_timestamp: number;
  }>;
  return rows.map((row) => [row.content, row.scheduled_delivery_timestamp]);
}

const time = "2030-01-02T09:00:00+00:00";
const seconds = Date.parse(time) / 1_000;

describe("The programs of docs/scheduling.md", () => {
  const server = useServer();
  const processes = useProcesses();
  const { value: db, set: setDatabase } = later<Database>("the database");
  before("find the database", () => setDatabase(server.db));
  const blocker = useBlocker(db);
  let proxy: FaultProxy;
  /** Credentials whose address leads through the proxy. */
  let zuliprc = "";

  before("put a proxy before the server", async () => {
    proxy = await startFaultProxy(server.url);
    const path = await server.zuliprc("member");
    zuliprc = `${path}.proxied`;
    await writeFile(zuliprc, (await readFile(path, "utf8")).replace(server.url, proxy.url));
  });
  after("close the proxy", () => proxy.close());

  /** Runs the program twice, and drops the answer to its first request. */
  async function scheduleTwice(
    content: string,
    start: (args: readonly string[]) => ReturnType<typeof processes.program>,
  ) {
    const args = [zuliprc, `key of ${content}`.replaceAll(" ", "-"), time, content];
    const own = async () => (await scheduled(server)).filter(([text]) => text === content);
    await blocker.lock("LOCK TABLE scheduled_messages IN EXCLUSIVE MODE");
    const first = start(args);
    await blocker.untilWaiting(1, "the first request waits for the table");
    proxy.freeze();
    await blocker.release();
    await waitFor(async () => (await own()).length === 1, { what: "the message is scheduled" });
    proxy.drop();
    await proxy.heal();
    expect(await first.exit, first.output()).to.include({ code: 0 });
    const second = start(args);
    expect(await second.exit, second.output()).to.include({ code: 0 });
    expect(await own()).to.deep.equal([[content, seconds]]);
    return [first.output(), second.output()];
  }

  it("schedule once from TypeScript, though the program runs twice and loses an answer", async () => {
    const path = join(server.folder, "remind.mts");
    await writeFile(path, await programOf("remind.mts"));
    const tsx = fileURLToPath(import.meta.resolve("tsx"));
    const [first, second] = await scheduleTwice("From TypeScript", (args) =>
      processes.program(process.execPath, [`--import=${tsx}`, path, ...args], {}),
    );
    expect(second).to.match(/"scheduled_message_id":\d+/);
    expect(second).to.equal(first);
  });

  describe("for a shell", () => {
    before("look for curl", function () {
      if (spawnSync("curl", ["--version"]).status !== 0) this.skip();
    });

    /** Runs the line that calls the path, in a folder with the credentials of an account. */
    async function answerOf(path: string, whose: "admin" | "member") {
      const { email, apiKey } = server.account(whose);
      const credentials = `user = "${email}:${apiKey}"\n`;
      await writeFile(join(server.folder, `${whose}.curlrc`), credentials, { mode: 0o600 });
      const line = (await lineOf(path)).replaceAll("SITE/", `${server.url}/`);
      const { stdout } = await promisify(execFile)("bash", ["-c", line], { cwd: server.folder });
      const answer = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
      expect(answer, stdout).to.include({ result: "success" });
      expect(answer, stdout).not.to.have.property("ignored_parameters_unsupported");
      return answer;
    }

    it("create a series that is planned at nine o'clock in Berlin on working days", async () => {
      const answer = await answerOf("message_series", "member");
      const { body } = await server.as("member").get("/api/v1/message_series");
      const all = body["message_series"] as ReadonlyArray<Record<string, unknown>>;
      const made = all.find((one) => one["series_id"] === answer["series_id"]);
      expect(made).to.deep.include({
        content: "What do you plan today?",
        topic: "stand-up",
        start: "2026-12-01T09:00:00",
        timezone: "Europe/Berlin",
        rrule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
        state: "active",
      });
      const next = answer["occurrences"] as ReadonlyArray<{ local_time: string }>;
      expect(next).to.have.length(5);
      for (const { local_time: time } of next) {
        expect(time).to.match(/T09:00:00\+0[12]:00$/);
        expect(new Date(time.slice(0, 10)).getUTCDay()).to.be.within(1, 5);
      }
    });

    it("send an alert once, whose repeat changes nothing", async () => {
      const first = await answerOf("messages", "admin");
      expect(first).to.include({ upsert_result: "created" });
      const second = await answerOf("messages", "admin");
      expect(second).to.include({ upsert_result: "stale", id: first["id"] });
    });
  });

  describe("in Python", () => {
    const python = usePython();

    it("schedule once, though the program runs twice and loses an answer", async () => {
      const path = join(server.folder, "remind.py");
      await writeFile(path, await programOf("remind.py"));
      await scheduleTwice("From Python", (args) =>
        processes.program(python.path("python"), [path, ...args], {}),
      );
    });
  });
});
