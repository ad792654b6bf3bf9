import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  clientOf,
  createBouncerDatabase,
  organization,
  startApp,
  startGateway,
  startProcess,
  startTestBouncer,
  testSecretKey,
  waitFor,
  type TestAccount,
  type TestBouncer,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { Phone } from "../phone/phone.ts";
import { onBothBackends } from "./support/both-backends.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

onBothBackends("A push notification", scenarioMs, {
  "reaches a phone through gateway, worker and bouncer, and is removed when it is read": (
    backend,
  ) => inWorld(backend, wholeWay),
  "is shown once when the worker is killed between the call and its commit": (backend) =>
    inWorld(backend, (world) => whileCalling(world, killed)),
  "is shown once when the worker is frozen during the call, even after SIGCONT": (backend) =>
    inWorld(backend, (world) => whileCalling(world, frozen)),
});

const server = {
  PUSH_SERVER_ID: "2f0d6e0c-3c0e-4b7e-9d0a-6f1b8b3f5a11",
  PUSH_SERVER_KEY: "the-key-of-the-server",
};

/** Runs every app as a process, and the phone as a program in a terminal. */
async function wholeWay(world: World): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "carillon-phone-"));
  const database = await createBouncerDatabase();
  const handovers = join(folder, "handovers.jsonl");
  const started: TestProcess[] = [];
  const keep = (made: TestProcess) => (started.push(made), made);
  try {
    const bouncer = keep(
      startApp("bouncer", {
        ...server,
        PUSH_BOUNCER: "embedded",
        BOUNCER_DATABASE_URL: database.url,
        BOUNCER_PORT: "0",
        BOUNCER_HANDOVER_LOG: handovers,
        SECRET_KEY: testSecretKey,
      }),
    );
    const line = await bouncer.waitForLine("bouncer started", waitTimeoutMs);
    const [bouncerKey = ""] = line["publicKeys"] as string[];
    const push = { ...server, PUSH_BOUNCER_URL: `http://127.0.0.1:${String(line["port"])}` };
    const [gateway] = await Promise.all([world.gateway(push), world.worker(push)]);
    const { owner, member } = await organization(world.db);
    const zuliprc = join(folder, "zuliprc");
    const login = `email=${member.deliveryEmail}\nkey=${member.apiKey}\nsite=${gateway.url}\n`;
    await writeFile(zuliprc, `[api]\n${login}`);
    const phone = keep(
      startProcess(
        "test/phone/main.ts",
        ["--zuliprc", zuliprc, "--bouncer-key", bouncerKey, "--handovers", handovers],
        {},
      ),
    );
    await phone.waitForLine("active", waitTimeoutMs);

    const id = await sendDirect(gateway.url, owner, member, "**Come** here");
    const shown = JSON.parse(
      (await phone.waitForLine('"type":"message"', waitTimeoutMs)).msg,
    ) as object;
    expect(shown).to.include({
      type: "message",
      message_id: id,
      user_id: member.id,
      sender_id: owner.id,
      content: "Come here",
      recipient_type: "direct",
    });
    await clientOf(gateway.url, credentialsOf(member)).post("/api/v1/messages/flags", {
      messages: [id],
      op: "add",
      flag: "read",
    });
    const gone = JSON.parse(
      (await phone.waitForLine('"type":"remove"', waitTimeoutMs)).msg,
    ) as object;
    expect(gone).to.deep.include({ type: "remove", user_id: member.id, message_ids: [id] });
    for (const secret of [server.PUSH_SERVER_KEY, "Come here"])
      expect(bouncer.output()).to.not.include(secret);
  } finally {
    await Promise.all(started.map((one) => one.kill()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes a worker call the bouncer, applies `fault` during the call, and lets another worker do the rest. */
async function whileCalling(
  world: World,
  fault: (worker: TestProcess, answer: () => void, next: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const bouncer = await startTestBouncer();
  const known = await bouncer.addServer();
  const push = {
    PUSH_BOUNCER_URL: bouncer.url,
    PUSH_SERVER_ID: known.id,
    PUSH_SERVER_KEY: known.key,
  };
  const gateway = await startGateway(world.db, {
    queues: world.queues,
    site: { pushConfigured: true },
  });
  try {
    const { owner, member } = await organization(world.db);
    const phone = new Phone({
      site: gateway.url,
      email: member.deliveryEmail,
      key: member.apiKey,
    });
    await phone.register(bouncer.publicKey);
    const worker = await world.worker(push);
    await waitFor(() => phone.isActive(), {
      what: "the phone is active",
      timeoutMs: waitTimeoutMs,
    });

    const { fcm } = bouncer.providers;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    fcm.answer = async () => {
      await answered;
      return { kind: "sent" };
    };
    const id = await sendDirect(gateway.url, owner, member, "once");
    await waitFor(() => fcm.handovers.length > 0, { what: "it calls", timeoutMs: waitTimeoutMs });
    await fault(worker, answer, () => world.worker(push));
    await isOver(world);
    expect(await idsShown(bouncer, phone)).to.deep.equal([id]);
    // The frozen worker continues, and finds that its work is done.
    worker.signal("SIGCONT");
    const next = await sendDirect(gateway.url, owner, member, "twice");
    await waitFor(() => fcm.handovers.length > 1, { what: "the next", timeoutMs: waitTimeoutMs });
    await isOver(world);
    expect(await idsShown(bouncer, phone)).to.deep.equal([id, next]);
  } finally {
    await gateway.close();
    await bouncer.close();
  }
}

async function killed(
  worker: TestProcess,
  answer: () => void,
  next: () => Promise<unknown>,
): Promise<void> {
  await worker.kill();
  answer();
  await next();
}

async function frozen(
  worker: TestProcess,
  answer: () => void,
  next: () => Promise<unknown>,
): Promise<void> {
  worker.signal("SIGSTOP");
  answer();
  await next();
}

/** Waits until no push is pending. */
async function isOver({ db }: World): Promise<void> {
  const waiting = "SELECT FROM job_intent WHERE job LIKE '%push%' AND state = 'pending'";
  await waitFor(async () => (await db.rows(waiting)).length === 0, {
    what: "nothing waits to be pushed",
    timeoutMs: waitTimeoutMs,
  });
}

/** Returns the ids of the messages that the phone shows, with repetitions. */
async function idsShown(bouncer: TestBouncer, phone: Phone): Promise<unknown[]> {
  const shown = await Promise.all(bouncer.providers.fcm.handovers.map((one) => phone.open(one)));
  return shown.map((one) => one?.["message_id"]);
}

function credentialsOf({ deliveryEmail, apiKey }: TestAccount) {
  return { email: deliveryEmail, apiKey };
}

async function sendDirect(
  url: string,
  from: TestAccount,
  to: TestAccount,
  content: string,
): Promise<number> {
  const { body } = await clientOf(url, credentialsOf(from)).post("/api/v1/messages", {
    type: "direct",
    to: [to.id],
    content,
  });
  expect(body.result, JSON.stringify(body)).to.equal("success");
  return Number(body["id"]);
}
