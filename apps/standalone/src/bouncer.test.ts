import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEnvironment } from "@carillon/kit";
import { expect } from "chai";
import { planBouncer } from "./bouncer.ts";
import { checkPorts } from "./ports.ts";

describe("the bouncer of a standalone", () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "carillon-bouncer-"));
  });
  after(() => rm(dataDir, { recursive: true }));

  const planned = async (variables: Record<string, string>) => {
    const ports = { gateway: 1, dashboard: 2, bouncer: 3 };
    const plan = await planBouncer(readEnvironment(variables), ports, dataDir);
    return plan("postgresql://carillon:secret@127.0.0.1:5433/carillon");
  };
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => "",
      ({ message }: Error) => message,
    );

  it("has its own database, and variables that are set take precedence", async () => {
    const own = await planned({});
    expect(own).to.include({
      PUSH_BOUNCER_URL: "http://127.0.0.1:3",
      BOUNCER_PORT: "3",
      BOUNCER_DATABASE_URL: "postgresql://carillon:secret@127.0.0.1:5433/carillon_bouncer",
      BOUNCER_HANDOVER_LOG: join(dataDir, "bouncer", "handovers.jsonl"),
    });
    const kept = JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8")) as object;
    const { PUSH_SERVER_ID = "", PUSH_SERVER_KEY = "" } = own;
    expect(kept).to.include({ PUSH_SERVER_ID, PUSH_SERVER_KEY });
    expect(await planned({})).to.deep.equal(own);
    const given = {
      BOUNCER_DATABASE_URL: "postgresql://db.example/b",
      BOUNCER_HANDOVER_LOG: "/log",
      PUSH_SERVER_KEY: "key",
    };
    expect(await planned(given)).to.include(given);
  });

  it("is not started unless requested", async () => {
    const plan = await planBouncer(readEnvironment({}), { gateway: 1, dashboard: 2 }, dataDir);
    expect(plan("postgresql://127.0.0.1/carillon")).to.deep.equal({});
  });

  it("is rejected beside another one, and without a database", async () => {
    const url = { PUSH_BOUNCER_URL: "https://push.example.com" };
    expect(await refusalOf(planned(url))).to.match(/^PUSH_BOUNCER_URL is set, and PUSH_BOUNCER/);
    const database = { DATABASE_URL: "postgresql://db.example/carillon" };
    expect(await refusalOf(planned(database))).to.match(/^BOUNCER_DATABASE_URL is not set/);
  });

  it("has its own port", async () => {
    const same = { PORT: "9123", DASHBOARD_PORT: "9124", BOUNCER_PORT: "9123" };
    const embedded = { ...same, PUSH_BOUNCER: "embedded" };
    expect(await refusalOf(checkPorts(readEnvironment(embedded), false))).to.equal(
      "BOUNCER_PORT and PORT are both 9123: they must be different",
    );
    const free = { PORT: "0", DASHBOARD_PORT: "0", BOUNCER_PORT: "0", PUSH_BOUNCER: "embedded" };
    expect(await checkPorts(readEnvironment(free), false)).to.have.all.keys(
      "gateway",
      "dashboard",
      "bouncer",
    );
  });
});
