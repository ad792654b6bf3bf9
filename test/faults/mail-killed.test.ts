import {
  changeSettings,
  clientOf,
  organization,
  startGateway,
  startMailServer,
  type TestProcess,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import PostalMime from "postal-mime";
import { onBothBackends } from "./support/both-backends.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

onBothBackends("A mail about missed messages", scenarioMs, {
  "is sent once when the worker is killed before the mail server has it": (backend) =>
    inWorld(backend, (world) => whileSending(world, "recipient", killed, 1)),
  "is sent twice, with one Message-ID, when the worker is killed before it hears that the server has it":
    (backend) => inWorld(backend, (world) => whileSending(world, "content", killed, 2)),
  "is sent twice, with one Message-ID, when the worker is frozen then, and no more after SIGCONT": (
    backend,
  ) => inWorld(backend, (world) => whileSending(world, "content", frozen, 2)),
});

/** The step of a mail that the server does not confirm until it is released. */
type Step = "recipient" | "content";

/** Starts a mail server that is slow in one step. */
async function slowMailServer(step: Step) {
  let waiting = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const slowly = async (at: Step, confirm: () => void) => {
    if (at === step) {
      waiting++;
      await released;
    }
    confirm();
  };
  const contents: Buffer[] = [];
  const server = await startMailServer({
    onRcptTo: (_address, _session, done) => void slowly("recipient", done),
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("end", () => {
        contents.push(Buffer.concat(chunks));
        void slowly("content", done);
      });
    },
  });
  return {
    ...server,
    isWaiting: () => waiting > 0,
    release,
    /** The `Message-ID` of each mail that it has taken. */
    ids: async () =>
      (await Promise.all(contents.map((raw) => PostalMime.parse(raw)))).map(
        ({ messageId }) => messageId ?? "",
      ),
  };
}

type Fault = (worker: TestProcess, release: () => void) => Promise<void>;

const killed: Fault = async (worker, release) => {
  await worker.kill();
  release();
};

const frozen: Fault = async (worker, release) => {
  worker.signal("SIGSTOP");
  release();
};

/**
 * Applies a fault to a worker in the middle of a mail, and lets another worker do the rest.
 * @param copies how often the mail must arrive
 */
async function whileSending(world: World, step: Step, fault: Fault, copies: number): Promise<void> {
  const { db } = world;
  const mails = await slowMailServer(step);
  const gateway = await startGateway(db, { queues: world.queues });
  try {
    const { owner, member } = await organization(db);
    await changeSettings(db, member, { email_notifications_batching_period_seconds: 1 });
    const sendDirect = () =>
      clientOf(gateway.url, { email: owner.deliveryEmail, apiKey: owner.apiKey }).post(
        "/api/v1/messages",
        { type: "direct", to: [member.id], content: "Come here" },
      );
    /** Waits until as many mails are done. */
    const done = (count: number) =>
      waitFor(
        async () => {
          const rows = await db.rows<{ state: string }>(
            "SELECT state FROM job_intent WHERE job = 'mail-missed-messages'",
          );
          return rows.length === count && rows.every(({ state }) => state === "done");
        },
        { what: `${count} mails are done`, timeoutMs: waitTimeoutMs },
      );
    const worker = await world.worker({ SMTP_URL: mails.url });
    await sendDirect();
    await waitFor(mails.isWaiting, { what: "it sends the mail", timeoutMs: waitTimeoutMs });
    await fault(worker, mails.release);
    await world.worker({ SMTP_URL: mails.url });
    await done(1);
    const first = await mails.ids();
    expect(first).to.have.length(copies);
    expect(new Set(first)).to.have.property("size", 1);
    // A frozen worker continues, and finds that its work is done.
    worker.signal("SIGCONT");
    await sendDirect();
    await done(2);
    const all = await mails.ids();
    expect(all).to.have.length(copies + 1);
    expect(new Set(all)).to.have.property("size", 2);
  } finally {
    await gateway.close();
    await mails.close();
  }
}
