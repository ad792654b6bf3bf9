import { expect } from "chai";
import { useDatabase } from "./database.ts";
import { channel, organization, type TestOrganization } from "./factories/index.ts";
import { fallDue } from "./fall-due.ts";
import { clientOf } from "./gateway-client.ts";
import { installation, type TestProcess } from "./processes.ts";
import { useProcesses } from "./use-processes.ts";
import { forEachBackend, useQueues } from "./queues.ts";
import { waitFor } from "./wait-for.ts";

forEachBackend("spawned processes", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const processes = useProcesses();
  let org: TestOrganization;
  let gateway: TestProcess & { url: string };

  before(async () => {
    org = await organization(db);
    const variables = installation(db.url, queues.config.redisUrl);
    [gateway] = await Promise.all([processes.gateway(variables), processes.worker(variables)]);
  });

  it("deliver messages together, and exit on SIGTERM", async () => {
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const answer = await clientOf(gateway.url, org.member).post("/api/v1/scheduled_messages", {
      type: "channel",
      to: room.id,
      topic: "lunch",
      content: "Soon",
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
    });
    expect(answer.status, answer.text).to.equal(200);
    await fallDue(db, queues, org.realm.id);
    await waitFor(() => db.prisma.message.findFirst({ where: { recipientId: room.recipientId } }), {
      what: "the message is delivered",
    });
    expect(await gateway.stop()).to.deep.equal({ code: 0, signal: null });
  });

  it("exit at once when they are killed", async () => {
    const worker = await processes.worker(installation(db.url, queues.config.redisUrl));
    expect(worker.running()).to.equal(true);
    expect(await worker.kill()).to.deep.equal({ code: null, signal: "SIGKILL" });
    expect(worker.running()).to.equal(false);
  });
});

describe("A process that fails to start", () => {
  const processes = useProcesses();

  it("is reported with its whole output", async () => {
    const worker = processes.start("worker", { SECRET_KEY: "x".repeat(32) });
    const error = await worker.waitForLine("worker started").catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(Error);
    expect((error as Error).message).to.match(
      /ended .*"code":1.* without saying worker started; it wrote:\nDATABASE_URL is not set/s,
    );
    expect(await worker.exit).to.deep.equal({ code: 1, signal: null });
  });
});
