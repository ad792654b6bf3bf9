import { waitFor, type Answer, type GatewayClient, type Params } from "@carillon/testkit";
import { expect } from "chai";
import { seriesSoon } from "../clients/support/soon.ts";
import { onBothBackends } from "../faults/support/both-backends.ts";
import type { Installation } from "./support/builds.ts";
import { installed } from "./support/installed.ts";

onBothBackends("Series and conditions beside a worker of the last release", 400_000, {
  "are refused while it runs, and an occurrence is sent once, whichever worker sends it": (
    backend,
  ) => installed(backend, series),
  "are refused while it runs, and a message with conditions is withheld once it is gone": (
    backend,
  ) => installed(backend, conditions),
});

/** Longer than a heartbeat is valid, and than the interval of `repair-series`. */
const patientMs = 150_000;

async function series(installation: Installation): Promise<void> {
  const { release, current } = installation;
  await release.prepare();
  const older = await release.worker();
  await current.prepare();
  const client = await installation.owner(await current.gateway());
  const me = Number((await client.get("/api/v1/users/me")).body["user_id"]);
  const create = () =>
    client.post(
      "/api/v1/message_series",
      seriesSoon({ type: "direct", to: [me], content: "An occurrence" }),
    );

  expectUpgrading(await create());
  expect(await seriesOf(client)).to.deep.equal([]);

  await older.stop();
  await accepted("a series", create);
  const [planned] = await seriesOf(client);

  // The older worker does not know series: it delivers the planned occurrence like any scheduled message.
  const back = await release.worker();
  const wasSent = async () => (await sentTo(client, me)).length > 0;
  await waitFor(wasSent, { what: "the occurrence is sent", timeoutMs: patientMs });
  expect((await seriesOf(client))[0]?.next_occurrence).to.equal(null);
  await back.stop();

  await current.worker();
  const next = await waitFor(
    async () => (await seriesOf(client)).find((one) => one.next_occurrence !== null),
    { what: "the next occurrence is planned", timeoutMs: patientMs, everyMs: 200 },
  );
  const day = 86_400_000;
  const daysLater = (date = "") => new Date(Date.parse(date) + day).toISOString().slice(0, 10);
  const sentOn = planned?.next_occurrence ?? "";
  expect(next.next_occurrence).to.equal(daysLater(sentOn));
  // The day that the older worker has sent is not sent again at a later time.
  const moved = await client.patch(`/api/v1/message_series/${next.series_id}`, {
    start: `${sentOn}T23:59:59`,
  });
  expect(moved.status, moved.text).to.equal(200);
  expect((await seriesOf(client))[0]?.next_occurrence).to.equal(daysLater(sentOn));
  expect(await sentTo(client, me)).to.deep.equal(["An occurrence"]);
}

async function conditions(installation: Installation): Promise<void> {
  const { release, current } = installation;
  await release.prepare();
  const older = await release.worker();
  await current.prepare();
  const client = await installation.owner(await current.gateway());
  const me = Number((await client.get("/api/v1/users/me")).body["user_id"]);
  const message = { type: "direct", to: [me], content: "Is anybody there?" };
  const unless = [{ kind: "check_in" }];
  const scheduled = async () =>
    (await client.get("/api/v1/scheduled_messages")).body["scheduled_messages"];
  const schedule = (inSeconds: number, more: Params = {}) =>
    client.post("/api/v1/scheduled_messages", {
      ...message,
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + inSeconds,
      ...more,
    });

  expectUpgrading(await schedule(3_600, { unless }));
  expect(await scheduled()).to.deep.equal([]);
  // A message without conditions is accepted. It cannot get some while the older worker runs.
  const plain = await schedule(3_600);
  expect(plain.status, plain.text).to.equal(200);
  const path = `/api/v1/scheduled_messages/${String(plain.body["scheduled_message_id"])}`;
  expectUpgrading(await client.patch(path, { unless }));

  await older.stop();
  await current.worker();
  await accepted("conditions of an existing message", () => client.patch(path, { unless }));
  const made = await accepted("conditions of a new message", () => schedule(8, { unless }));
  const id = made.body["scheduled_message_id"];
  const checkedIn = await client.post(`/api/v1/scheduled_messages/${String(id)}/check_in`);
  expect(checkedIn.status, checkedIn.text).to.equal(200);
  const [withheld] = await waitFor(
    async () => {
      const { body } = await client.get("/api/v1/scheduled_messages/withheld");
      const found = body["withheld_messages"] as ReadonlyArray<Record<string, unknown>>;
      return found.length > 0 && found;
    },
    { what: "the message is withheld", timeoutMs: patientMs, everyMs: 200 },
  );
  expect(withheld).to.deep.include({ scheduled_message_id: id, condition: unless[0] });
  expect(await sentTo(client, me)).to.deep.equal([]);
}

function expectUpgrading(refusal: Answer): void {
  expect(refusal.status, refusal.text).to.equal(503);
  expect(refusal.body.msg).to.equal(
    "The server is being upgraded and does not accept this request yet; nothing was changed",
  );
  expect(refusal.headers.get("Retry-After")).to.equal("30");
}

/** Repeats the request until it is not answered 503, and expects that it succeeds then. */
async function accepted(what: string, request: () => Promise<Answer>): Promise<Answer> {
  const answer = await waitFor(
    async () => {
      const one = await request();
      return one.status === 503 ? undefined : one;
    },
    { what: `the server accepts ${what}`, timeoutMs: patientMs, everyMs: 200 },
  );
  expect(answer.status, answer.text).to.equal(200);
  return answer;
}

interface Series {
  readonly series_id: number;
  readonly next_occurrence: string | null;
}

async function seriesOf(client: GatewayClient): Promise<readonly Series[]> {
  const { body } = await client.get("/api/v1/message_series");
  return body["message_series"] as Series[];
}

/** Returns the texts of the messages that the account has sent. */
async function sentTo(client: GatewayClient, me: number): Promise<string[]> {
  const { body } = await client.get("/api/v1/messages", {
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: "sender", operand: me }],
  });
  return (body["messages"] as Array<{ content: string }>).map(({ content }) => content);
}
