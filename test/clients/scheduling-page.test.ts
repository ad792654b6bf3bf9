import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "@carillon/db";
import {
  later,
  startFaultProxy,
  useObstacle,
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

describe("The programs of docs/scheduling.md", function () {
  this.timeout(90_000);
  const server = useServer();
  const processes = useProcesses();
  const { value: db, set: setDatabase } = later<Database>("the database");
  before("find the database", () => setDatabase(server.db));
  const obstacle = useObstacle(db);
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
    await obstacle.lock("LOCK TABLE scheduled_messages IN EXCLUSIVE MODE");
    const first = start(args);
    await obstacle.untilWaiting(1, "the first request waits for the table");
    proxy.freeze();
    await obstacle.release();
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
