import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import {
  channel,
  clientOf,
  fallDue,
  forEachBackend,
  inChannel,
  inSeconds,
  installation,
  messagesOf,
  organization,
  scheduledMessagesPath,
  type TestOrganization,
  useDatabase,
  useEndpoint,
  useProcesses,
  useQueues,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { collectedSpans, variablesFor } from "./support/collected-spans.ts";

const ownPath = "/api/v1/users/me";

forEachBackend("A trace", (backend) => {
  const db = useDatabase();
  const queues = useQueues(backend, db);
  const processes = useProcesses();
  const collector = useEndpoint();

  it("follows a scheduled message from the request through the queue to its delivery", async () => {
    const { realm, member } = await organization(db);
    const room = await channel(db, realm, { subscribers: [member] });
    const variables = {
      ...installation(db.url, queues.config.redisUrl),
      ...variablesFor(collector),
    };
    const [gateway] = await Promise.all([
      processes.gateway(variables),
      processes.worker(variables),
    ]);
    const traceId = randomBytes(16).toString("hex");
    const caller = randomBytes(8).toString("hex");
    const client = clientOf(gateway.url, member);
    const secret = "words that no span may hold";
    const { status } = await client.send("POST", scheduledMessagesPath, {
      headers: {
        traceparent: `00-${traceId}-${caller}-01`,
        baggage: "note=words-that-no-job-may-hold",
      },
      body: new URLSearchParams({
        type: "channel",
        to: String(room.id),
        topic: "spans",
        content: secret,
        scheduled_delivery_timestamp: String(inSeconds(3_600)),
      }),
    });
    expect(status).to.equal(200);
    const delivery = queues.bullQueues().find(({ name }) => name === "delivery");
    const job = await waitFor(
      async () => (await delivery?.getJobs())?.find(({ name }) => name === "deliver-due"),
      { what: "the delivery's job is in its queue" },
    );
    expect(job.opts.telemetry?.metadata).to.include(traceId).and.not.include("words-that");
    // Not by itself: on a busy machine, the job may have run before the test has seen it.
    await fallDue(db, queues, realm.id);
    await waitFor(async () => (await messagesOf(client, inChannel(room.id))).length === 1, {
      what: "the message is sent",
    });
    const wanted = [
      "POST /api/v1/scheduled_messages",
      "scheduled-insert",
      "add delivery.deliver-due",
      "process delivery",
      "deliver-mark-sent",
    ];
    const spans = await waitFor(
      () => {
        const found = collectedSpans(collector).filter((span) => span.traceId === traceId);
        const names = new Set(found.map(({ name }) => name));
        return wanted.every((name) => names.has(name)) && found;
      },
      { what: "the spans of both processes arrive" },
    );

    const named = (name: string) => spans.find((span) => span.name === name);
    const request = named("POST /api/v1/scheduled_messages");
    expect(request).to.include({ parentSpanId: caller, service: "carillon-gateway" });
    expect(request?.attributes).to.include({
      "http.route": scheduledMessagesPath,
      "http.response.status_code": 200,
      "carillon.user_id": member.id,
    });
    const within = { parentSpanId: request?.spanId, service: "carillon-gateway" };
    expect(named("scheduled-insert")).to.include(within);
    const added = named("add delivery.deliver-due");
    expect(added).to.include(within);
    const run = named("process delivery");
    expect(run).to.include({ parentSpanId: added?.spanId, service: "carillon-worker" });
    expect(named("deliver-mark-sent")).to.include({ parentSpanId: run?.spanId });
    expect(collector.calls.map(({ body }) => body).join()).not.to.include(secret);

    const line = gateway.lines.find((logged) => logged["trace_id"] === traceId);
    expect(line).to.include({ msg: "request", span_id: request?.spanId });
  });
});

describe("Traces", () => {
  const db = useDatabase();
  const processes = useProcesses();
  const collector = useEndpoint();
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const gatewayWith = (variables: Readonly<Record<string, string>>) =>
    processes.gateway({ ...installation(db.url), ...variables });

  it("leave out probes, and statements outside of a request", async () => {
    const gateway = await gatewayWith(variablesFor(collector));
    await fetch(`${gateway.url}/health`);
    await fetch(`${gateway.url}/api/v1/nowhere`);
    // The last spans are sent when the process ends.
    expect(await gateway.stop()).to.include({ code: 0 });
    const spans = collectedSpans(collector);
    expect(spans.map(({ name }) => name)).to.deep.equal(["GET"]);
    expect(spans[0]?.attributes).to.include({
      "http.response.status_code": 404,
      "error.type": "NOT_FOUND",
    });
  });

  it("have the class of an error, and not its message", async () => {
    const script = fileURLToPath(new URL("support/fail-in-a-span.ts", import.meta.url));
    const secret = "words of a person";
    const run = processes.script(script, [secret], variablesFor(collector));
    expect(await run.exit, run.output()).to.include({ code: 0 });
    const [span] = collectedSpans(collector);
    expect(span).to.include({ name: "failing" });
    expect(span?.attributes).to.deep.equal({ "error.type": "TypeError" });
    expect(collector.calls[0]?.body).not.to.include(secret);
  });

  it("are dropped while the collector is away, which delays no request", async () => {
    const gateway = await gatewayWith({
      ...variablesFor(collector),
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    });
    const { status } = await clientOf(gateway.url, org.member).send("GET", ownPath);
    expect(status).to.equal(200);
    await gateway.waitForLine("traces could not be sent");
    expect(await gateway.stop()).to.include({ code: 0 });
  });

  for (const [what, off] of [
    ["without an endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }],
    ["with OTEL_SDK_DISABLED", { OTEL_SDK_DISABLED: "true" }],
  ] as const)
    it(`are not recorded ${what}`, async () => {
      const gateway = await gatewayWith({ ...variablesFor(collector), ...off });
      await clientOf(gateway.url, org.member).send("GET", ownPath);
      const line = await gateway.waitForLine("request");
      expect(line).not.to.have.property("trace_id");
      await gateway.stop();
      expect(collector.calls).to.deep.equal([]);
    });
});
