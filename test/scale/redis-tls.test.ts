import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { makeCertificates, type Certificates } from "./support/certificates.ts";
import { duringBurst, startRedisFleet, type RedisFleet } from "./support/redis-fleet.ts";
import { redisProgram, RedisServers, type RedisServer } from "./support/redis-servers.ts";

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
    const read = (path: string) => readFile(path);
    server = await servers.add(
      [
        `tls-cert-file ${files.server.cert}`,
        `tls-key-file ${files.server.key}`,
        `tls-ca-cert-file ${files.authority}`,
        "appendonly yes",
      ],
      [],
      {
        tls: {
          ca: await read(files.authority),
          cert: await read(files.client.cert),
          key: await read(files.client.key),
        },
      },
    );
    await server.command("ACL", "SETUSER", "carillon", ...(await documentedRules()));
    fleet = await startRedisFleet(url({ sslrootcert: files.authority, ...clientCertificate() }), {
      RATE_LIMITS: "user=60:100000",
    });
  });
  after("end all", async () => {
    await fleet?.close();
    await servers.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("send and deliver everything, and Redis refuses none of their commands", async () => {
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
    [
      "a wrong password",
      () => url({ sslrootcert: files.authority, ...clientCertificate() }, "hunter2"),
      /WRONGPASS/,
    ],
    ["no certificate of the client", () => url({ sslrootcert: files.authority }), /certificate/i],
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

/** Reads the rules of the user that docs/operating.md recommends. */
async function documentedRules(): Promise<string[]> {
  const text = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
  const line = /^ACL SETUSER carillon (.*)$/m.exec(text)?.[1];
  if (!line) throw new Error("docs/operating.md has no line ACL SETUSER carillon");
  return line.split(" ").map((word) => (word === ">PASSWORD" ? `>${password}` : word));
}
