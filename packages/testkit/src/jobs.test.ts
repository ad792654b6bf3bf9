import { deliverDue, InvalidPayload } from "@carillon/jobs";
import { expect } from "chai";
import { useDatabase } from "./database.ts";
import {
  channel,
  makeDue,
  organization,
  scheduledMessage,
  type TestOrganization,
} from "./factories/index.ts";
import { fallDue } from "./fall-due.ts";
import { useGateway } from "./gateway.ts";
import { runJob, useWorker } from "./jobs.ts";
import { forEachBackend, useQueues } from "./queues.ts";
import { waitFor } from "./wait-for.ts";

forEachBackend("the job harness", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const gateway = useGateway(db, { queues });
  useWorker(db, queues);
  let org: TestOrganization;

  before(async () => {
    org = await organization(db);
  });

  const delivered = async (id: number) =>
    (await db.prisma.scheduledMessage.findUniqueOrThrow({ where: { id } })).delivered;

  it("uses the configured store", () => {
    expect(queues.backend).to.equal(backend);
  });

  it("delivers what the gateway schedules", async () => {
    const room = await channel(db, org.member, { subscribers: [org.member, org.guest] });
    const answer = await gateway.as(org.member).post("/api/v1/scheduled_messages", {
      type: "channel",
      to: room.id,
      topic: "lunch",
      content: "In **one** hour",
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 3_600,
    });
    expect(answer.status, answer.text).to.equal(200);
    const id = Number(answer.body["scheduled_message_id"]);
    expect(gateway.deliveries.map((delivery) => delivery.scheduledMessageId)).to.include(id);
    await fallDue(db, queues, org.realm.id);
    await waitFor(() => delivered(id), { what: "the message is delivered" });
    const messages = await db.prisma.message.findMany({ where: { recipientId: room.recipientId } });
    expect(messages.map((message) => message.content)).to.deep.equal(["In **one** hour"]);
  });

  it("runs a single job without any queue", async () => {
    const room = await channel(db, org.member, { subscribers: [org.member] });
    const { id } = await scheduledMessage(db, org.member, room);
    await makeDue(db, id);
    const second = Math.floor(Date.now() / 1_000);
    const run = await runJob(db, deliverDue, { realmId: org.realm.id, second });
    expect(await delivered(id)).to.equal(true);
    expect(run.logLines.map((line) => line.msg)).to.include("delivered scheduled messages");
    const later = await runJob(db, deliverDue, { realmId: org.realm.id, second: second + 3_600 });
    expect(later.published.map(({ job }) => job.name)).to.deep.equal(["deliver-due"]);
  });

  it("refuses a payload that does not match its declaration", async () => {
    const error: unknown = await runJob(db, deliverDue, { realmId: 0, second: 1 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(InvalidPayload);
  });
});
