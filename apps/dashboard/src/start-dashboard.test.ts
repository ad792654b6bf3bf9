import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { listen, metricsOf } from "@carillon/kit";
import {
  appArguments,
  createTestDatabase,
  expositionFaults,
  metricNames,
  waitFor,
  type TestDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import { basic } from "./test-support.ts";

interface Running {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly exit: Promise<number | null>;
}

describe("the process of the dashboard", () => {
  let database: TestDatabase;
  let running: Running | undefined;

  before(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    running?.child.kill("SIGKILL");
    await running?.exit;
  });
  after(() => database.drop());

  function run(variables: Record<string, string>, channel = false): Running {
    const child = spawn(process.execPath, appArguments("dashboard"), {
      env: {
        PATH: process.env["PATH"],
        DASHBOARD_PORT: "0",
        DATABASE_URL: database.url,
        ...variables,
      },
      stdio: ["ignore", "pipe", "pipe", ...(channel ? (["ipc"] as const) : [])],
    });
    let out = "";
    let err = "";
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
    // With a channel, "close" never comes once it is disconnected.
    const exit = once(child, channel ? "exit" : "close").then(([code]) => code as number | null);
    running = { child, out: () => out, err: () => err, exit };
    return running;
  }

  const operator = { DASHBOARD_USER: "olga", DASHBOARD_PASSWORD: "secret" };

  async function refusal(variables: Record<string, string>): Promise<string> {
    const { exit, err, out } = run(variables);
    expect(await exit).to.equal(1);
    expect(out()).not.to.contain("started");
    return err();
  }

  it("refuses to start without an operator's credentials, in one line", async () => {
    expect(await refusal({})).to.match(/^DASHBOARD_USER and DASHBOARD_PASSWORD are not set: .*\n$/);
  });

  it("refuses to start without a database, or on an unprepared one", async () => {
    expect(await refusal({ ...operator, DATABASE_URL: "" })).to.match(/^DATABASE_URL .*\n$/);
    const unprepared = database.url.replace(/\/[^/]*$/, "/postgres");
    expect(await refusal({ ...operator, DATABASE_URL: unprepared })).to.match(
      /^DATABASE_URL: .*npm run migrate.*\n$/,
    );
  });

  it("refuses to start on a taken port, naming it", async () => {
    const other = createServer();
    const port = await listen(other, 0, "127.0.0.1", "PORT");
    expect(await refusal({ ...operator, DASHBOARD_PORT: String(port) })).to.match(
      new RegExp(`^DASHBOARD_PORT ${port} is taken .*\\n$`),
    );
    await new Promise((resolve) => other.close(resolve));
  });

  for (const [how, channel, end] of [
    ["it gets SIGTERM", false, (child: ChildProcess) => child.kill("SIGTERM")],
    ["its parent has exited", true, (child: ChildProcess) => child.disconnect()],
  ] as const) {
    it(`serves, sends heartbeats, and exits when ${how}`, async () => {
      const { child, out, err, exit } = run(operator, channel);
      const line = await waitFor(() => /"port":(\d+).*dashboard started/.exec(out())?.[1], {
        what: "the dashboard starts",
      });
      const url = `http://127.0.0.1:${line}`;
      expect((await fetch(`${url}/health`)).status).to.equal(200);
      expect((await fetch(url)).status).to.equal(401);
      const headers = { authorization: basic("olga", "secret") };
      const page = await waitFor(
        async () => {
          const text = await (await fetch(url, { headers })).text();
          return text.includes(`<td class="n">${child.pid}</td>`) ? text : undefined;
        },
        { what: "it shows itself among the processes" },
      );
      expect(page).to.contain("No worker is running.");
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(expositionFaults(metrics)).to.deep.equal([]);
      expect(metricNames(metrics)).to.include.members(metricsOf("dashboard"));
      expect(metrics)
        .to.match(/^carillon_loop_delay_seconds_bucket/m)
        .and.match(/^nodejs_version_info/m);
      end(child);
      expect(await exit).to.equal(0);
      expect(err()).to.equal("");
      expect(out()).not.to.contain("secret");
    });
  }
});
