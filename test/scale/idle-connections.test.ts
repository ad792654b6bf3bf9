import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { useProcesses, waitFor, type TestProcess } from "@carillon/testkit";
import { expect } from "chai";
import { crowd } from "../faults/support/load.ts";
import { fleetBackend } from "./support/fleet.ts";
import { openWorld, type World } from "../faults/support/world.ts";
import { startTraffic } from "./support/traffic.ts";

const script = fileURLToPath(new URL("support/idle-clients.mjs", import.meta.url));

/** Number of client processes, and of silent connections that each keeps open. */
const processesOfIdle = 4;
const idleEach = 2_600;
/** Connections that the gateway should hold at the same time; others are still in the kernel's backlog. */
const connectionsWanted = 10_000;
/** Connections with an unfinished head, and with a body that arrives byte by byte. */
const slowHeads = 500;
const slowBodies = 200;
/** Maximum memory of the gateway for each connection, in bytes. */
const bytesEach = 30 * 1_024;
/** Open files that a process must be allowed. */
const filesWanted = 12_000;

describe("A gateway with 10,000 silent connections", function () {
  this.timeout(240_000);
  const processes = useProcesses();
  let world: World;
  before(async function () {
    const files = execFileSync("sh", ["-c", "ulimit -n"]).toString().trim();
    if (files !== "unlimited" && Number(files) < filesWanted) this.skip();
    world = await openWorld(fleetBackend);
  });
  after(() => world?.close());

  it("serves all others, uses little memory for each, and closes each in time", async () => {
    const gateway = await world.gateway();
    await world.worker();
    const { port } = new URL(gateway.url);
    const people = await crowd(world.db);
    const sender = people.org.member;
    const key = Buffer.from(`${sender.deliveryEmail}:${sender.apiKey}`).toString("base64");
    const head = `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${key}\r\n`;
    const form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9000\r\n\r\n";
    const clients = (count: number, text = "", everyMs = 0, more = "") =>
      processes.program(
        process.execPath,
        [script, port, String(count), text, String(everyMs), more],
        {},
        { input: true },
      );

    const before = await startTraffic(world.db, gateway.url);
    await before.flows();
    expect(await before.end()).to.deep.equal([]);
    const memory = residentBytes(gateway);
    const idle = Array.from({ length: processesOfIdle }, () => clients(idleEach));
    const slow = [
      clients(slowHeads, head),
      clients(slowBodies, head + form + "content=", 500, "x"),
    ];
    const all = [...idle, ...slow];
    await waitFor(() => openFiles(gateway) >= connectionsWanted, {
      what: "it has that many connections",
      timeoutMs: 120_000,
    });

    const traffic = await startTraffic(world.db, gateway.url);
    await traffic.flows();
    const grown = residentBytes(gateway) - memory;
    await traffic.flows();
    expect(await traffic.end()).to.deep.equal([]);
    expect(grown / connectionsWanted, "bytes a connection").to.be.lessThan(bytesEach);

    // The gateway closes silent connections itself; connections with endless bodies later, at their deadline.
    for (const one of all) one.child.stdin?.end();
    await waitFor(() => openFiles(gateway) < connectionsWanted / 20, {
      what: "it has let go of them",
      timeoutMs: 120_000,
    });
    const { status } = await fetch(`${gateway.url}/health`);
    expect(status).to.equal(200);
  });
});

function residentBytes({ pid }: TestProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

function openFiles({ pid }: TestProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
