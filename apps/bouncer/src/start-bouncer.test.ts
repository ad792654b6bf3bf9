import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metricsOf, readEnvironment, Shutdown } from "@carillon/kit";
import {
  expositionFaults,
  metricNames,
  captureLog,
  createBouncerDatabase,
  dropDatabase,
  phoneToken,
  postgresUrl,
  reservePort,
  sealedFor,
  testSecretKey,
  withDatabase,
} from "@carillon/testkit";
import { expect } from "chai";
import { startBouncer } from "./start-bouncer.ts";
import { notify, pushTo, register } from "./test-support/call.ts";

describe("startBouncer", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-bouncer-"));
  });
  after(() => rm(folder, { recursive: true }));

  /** Runs a bouncer with these variables until `use` ends. */
  async function running(
    variables: Record<string, string>,
    use: (url: string, publicKeys: string[]) => Promise<void>,
  ): Promise<void> {
    const { log, lines } = captureLog();
    const shutdown = new Shutdown(log);
    const env = readEnvironment({
      SECRET_KEY: testSecretKey,
      BOUNCER_PORT: "0",
      BOUNCER_HANDOVER_LOG: join(folder, "handovers.jsonl"),
      ...variables,
    });
    try {
      const port = await startBouncer(env, log, shutdown);
      const line = lines.find(({ msg }) => msg === "bouncer started");
      await use(`http://127.0.0.1:${port}`, line?.["publicKeys"] as string[]);
    } finally {
      await shutdown.run();
    }
  }
  const refusalOf = (variables: Record<string, string>) =>
    running(variables, () => Promise.resolve()).then(
      () => "",
      ({ message }: Error) => message,
    );

  it("creates its database, server and key when embedded", async () => {
    const name = `carillon_bouncer_${randomUUID().replaceAll("-", "")}`;
    const server = { id: randomUUID(), key: "a-key-of-the-server" };
    const variables = {
      PUSH_BOUNCER: "embedded",
      BOUNCER_DATABASE_URL: withDatabase(postgresUrl(), name),
      PUSH_SERVER_ID: server.id,
      PUSH_SERVER_KEY: server.key,
      METRICS_PORT: String(await reservePort()),
    };
    const phone = phoneToken("apns");
    const realm_uuid = randomUUID();
    let keys: string[] = [];
    try {
      await running(variables, async (url, publicKeys) => {
        keys = publicKeys;
        const [bouncer_public_key = ""] = publicKeys;
        const encrypted_push_registration = await sealedFor(bouncer_public_key, phone.content);
        const fields = { bouncer_public_key, encrypted_push_registration, realm_uuid };
        const { json } = await register({ url }, server, { ...fields, token_id: phone.tokenId });
        expect(json).to.include({ result: "success" });
      });
      await running(variables, async (url, publicKeys) => {
        expect(publicKeys).to.deep.equal(keys);
        const body = { realm_uuid, push_requests: [pushTo(phone)] };
        const { json } = await notify({ url }, server, body);
        expect(json).to.include({ apple_successfully_sent_count: 1 });
        const metrics = await fetch(`http://127.0.0.1:${variables.METRICS_PORT}/metrics`);
        const text = await metrics.text();
        expect(expositionFaults(text)).to.deep.equal([]);
        expect(metricNames(text)).to.include.members(metricsOf("bouncer"));
        expect(text)
          .to.match(/^carillon_bouncer_handovers_total\{.*outcome="sent".*\} 1$/m)
          .and.to.match(/^carillon_http_requests_total\{.*notify".*status="200".*\} 1$/m);
      });
      expect(await readFile(join(folder, "handovers.jsonl"), "utf8")).to.include(phone.token);
      expect(await refusalOf({ ...variables, SECRET_KEY: "another".repeat(5) })).to.match(
        /^SECRET_KEY differs from the key/,
      );
    } finally {
      await dropDatabase(name);
    }
  });

  it("refuses to start on a wrong configuration, in a line that names the variable", async () => {
    const database = await createBouncerDatabase();
    const good = { BOUNCER_DATABASE_URL: database.url };
    expect(await refusalOf({})).to.match(/^BOUNCER_DATABASE_URL is not set/);
    expect(await refusalOf({ ...good, SECRET_KEY: "" })).to.match(/^SECRET_KEY is not set/);
    expect(await refusalOf({ ...good, BOUNCER_HANDOVER_LOG: "" })).to.match(/^BOUNCER_FCM_CRED/);
    expect(await refusalOf({ ...good, PUSH_BOUNCER: "embedded" })).to.match(/^PUSH_SERVER_ID/);
    expect(await refusalOf({ BOUNCER_DATABASE_URL: postgresUrl() })).to.match(
      /^BOUNCER_DATABASE_URL: /,
    );
    expect(await refusalOf(good)).to.equal("");
    await database.drop();
  });
});
