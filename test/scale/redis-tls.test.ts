import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deliverDue } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { openQueues, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import {
  makeCertificates,
  tlsLines,
  tlsOptions,
  tlsParameters,
  type Certificates,
  type Secured,
} from "./support/certificates.ts";
import { startCluster } from "./support/cluster.ts";
import { duringBurst, startRedisFleet, type RedisFleet } from "./support/redis-fleet.ts";
import { redisProgram, RedisServers, type RedisServer } from "./support/redis-servers.ts";
import { startSentinels } from "./support/sentinels.ts";

const password = "a p@ssword/of:the#test";

describe("Two gateways and two workers on a Redis with TLS, as a user with the documented permissions", function () {
  this.timeout(400_000);
  if (!redisProgram || spawnSync("openssl", ["version"]).error) {
    it("needs redis-server or valkey-server, and openssl");
    return;
  }
  const servers = new RedisServers();
  let folder: string;
  let files: Certificates;
  let server: RedisServer;
  let fleet: RedisFleet | undefined;

  const url = (parameters: Record<string, string>, secret = password) =>
    `rediss://carillon:${encodeURIComponent(secret)}@127.0.0.1:${server.port}?${new URLSearchParams(parameters)}`;
  const clientCertificate = () => ({ sslcert: files.client.cert, sslkey: files.client.key });

  before("start all", async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-certificates-"));
    files = makeCertificates(folder);
    server = await servers.add([...tlsLines(files), "appendonly yes"], [], {
      tls: tlsOptions(files),
    });
    await server.command("ACL", "SETUSER", "carillon", ...(await documentedRules()));
    fleet = await startRedisFleet(url(tlsParameters(files)), {
      RATE_LIMITS: "user=60:100000",
    });
  });
  after("end all", async () => {
    await fleet?.close();
    await servers.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("deliver all messages, and Redis refuses none of their commands", async () => {
    await duringBurst(fleet!, async () => 0);
    expect(await server.command("ACL", "LOG")).to.deep.equal([]);
  });

  it("trust the authorities of NODE_EXTRA_CA_CERTS", async () => {
    const worker = await fleet!.world.worker({
      REDIS_URL: url(clientCertificate()),
      NODE_EXTRA_CA_CERTS: files.authority,
    });
    await worker.stop();
  });

  for (const [what, variables, line] of [
    [
      "the certificate of an unknown authority",
      () => url(clientCertificate()),
      /self-signed certificate/,
    ],
    ["a wrong password", () => url(tlsParameters(files), "hunter2"), /WRONGPASS/],
    // With TLS 1.3 the client may learn that its certificate is missing, or only that the connection was closed.
    [
      "no certificate of the client",
      () => url({ sslrootcert: files.authority }),
      /cannot connect to Redis: ./,
    ],
    [
      "a file that is not there",
      () => url({ sslrootcert: "/nowhere.pem" }),
      /sslrootcert must name a readable file/,
    ],
  ] as const)
    it(`refuse to start with ${what}, in one line without the password`, async () => {
      const worker = fleet!.world.startWorker({ REDIS_URL: variables() });
      expect(await worker.exit).to.deep.equal({ code: 1, signal: null });
      expect(worker.output()).to.match(line).and.include("REDIS_URL: ");
      expect(worker.output()).not.to.match(/hunter2|p@ssword|p%40ssword/);
    });
});

/** Starts several servers with TLS and passwords. `holder` returns the server that has the keys. */
const setups = {
  "Sentinels, which have a password of their own,": async (secured: Secured) => {
    const redis = await startSentinels(secured);
    return { redis, holder: () => redis.master() };
  },
  "a Cluster": async (secured: Secured) => {
    const redis = await startCluster(secured);
    return { redis, holder: () => redis.owner() };
  },
};

describe("Job queues on Redis with TLS and a password", function () {
  this.timeout(120_000);
  for (const [what, start] of Object.entries(setups))
    it(`follow a failover of ${what} and run a job that is added afterwards`, async function () {
      if (!redisProgram || spawnSync("openssl", ["version"]).error) this.skip();
      const folder = await mkdtemp(join(tmpdir(), "carillon-certificates-"));
      const files = makeCertificates(folder);
      const { redis, holder } = await start({
        files,
        password: "of-the-data-nodes",
        sentinelPassword: "of-the-sentinels",
      });
      const config = { databaseUrl: "", redisUrl: redis.url, log: silentLogger };
      const { connect, close } = openQueues(config);
      try {
        const queues = await connect();
        const taken = new Set<unknown>();
        queues.worker("delivery", {
          definitions: [deliverDue],
          log: silentLogger,
          run: async ({ data }) => void taken.add((data as { second: number }).second),
        });
        const add = (second: number) =>
          queues.publish([{ job: deliverDue, payload: { realmId: 1, second } }]);
        await add(1);
        await waitFor(() => taken.has(1), { what: "the worker takes a job" });
        const former = await holder();
        await former.kill();
        await redis.failedOver(former);
        // Fails until the connection for adding jobs is open again.
        await waitFor(() => add(2).then(() => true), { what: "a job is added" });
        await waitFor(() => taken.has(2), { what: "the worker takes a job of the new master" });
      } finally {
        await close();
        await redis.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
});

/** Reads the rules of the user that docs/operating.md recommends. */
async function documentedRules(): Promise<string[]> {
  const text = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
  const line = /^ACL SETUSER carillon (.*)$/m.exec(text)?.[1];
  if (!line) throw new Error("docs/operating.md has no line ACL SETUSER carillon");
  return line.split(" ").map((word) => (word === ">PASSWORD" ? `>${password}` : word));
}
