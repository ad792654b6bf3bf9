import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Answer,
  calledWith,
  channel,
  clientOf,
  createdSeries,
  dailySeries,
  type Endpoint,
  inSeconds,
  makeDue,
  movePlanned,
  organization,
  type Params,
  remind,
  schedule,
  startCarillon,
  startEndpoint,
  type TestAccount,
  upload,
  waitFor,
  webhookBot,
} from "@carillon/testkit";
import type { Database } from "@carillon/db";
import { systemClock } from "@carillon/kit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { carillon } from "./support/command-line.ts";
import { callingVariables } from "./support/endpoint.ts";
import { scenarioMs, waitTimeoutMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

onBothBackends("Moving an organization to another installation", scenarioMs, {
  "sends what is scheduled, repeated, reminded of and called for once, and lets clients go on": (
    backend,
  ) =>
    inWorld(backend, (old) =>
      inWorld(backend, async (next) => {
        const folder = await mkdtemp(join(tmpdir(), "carillon-move-"));
        const endpoint = await startEndpoint();
        try {
          await moved({ old, next, folder, endpoint });
        } finally {
          await endpoint.close();
          await rm(folder, { recursive: true, force: true });
        }
      }),
    ),
});

interface Move {
  readonly old: World;
  readonly next: World;
  /** For the files of both installations and the export. */
  readonly folder: string;
  readonly endpoint: Endpoint;
}

const addresses = { old: "http://bells.old.test", next: "http://bells.new.test" };

/** Seconds after which a message that is due is reported instead of sent (docs/scheduling.md). */
const tooLate = 660;

/** Maximum seconds after its time, or after the import, in which a message is sent; a busy machine takes its time. */
const maxLate = 120;

async function moved({ old, next, folder, endpoint }: Move): Promise<void> {
  const ofOld = {
    PUBLIC_URL: "http://old.test",
    FILES_DIR: join(folder, "old"),
    ...callingVariables,
    // Longer than the final export takes, so that a call is still under way when it has closed the event log.
    OUTGOING_TIMEOUT: "30",
  };
  const ofNext = {
    ...callingVariables,
    PUBLIC_URL: "http://new.test",
    FILES_DIR: join(folder, "new"),
  };
  const { db } = old;
  const [gateway, nextGateway] = await Promise.all([
    old.gateway(ofOld),
    next.gateway(ofNext),
    old.worker(ofOld),
    next.worker(ofNext),
    organization(next.db, { subdomain: "present" }),
  ]);
  const gateways = new Map([
    [addresses.old, gateway.url],
    [addresses.next, nextGateway.url],
  ]);
  const org = await organization(db, { subdomain: "bells", name: "Bells" });
  const { member, owner } = org;
  const room = await channel(db, org.realm, { subscribers: [owner, member] });
  const client = clientOf(gateway.url, member);
  const bot = await webhookBot(
    { db, as: (one) => clientOf(gateway.url, one) },
    owner,
    endpoint.url,
  );
  // The endpoint refuses calls about texts that end with `later` until the organization has moved, and answers the first one
  // about `held` when the event log is closed.
  let hasMoved = false;
  const heldCalls = () => endpoint.calls.filter((call) => calledWith(call) === "held").length;
  let release = () => {};
  const isClosed = new Promise<void>((resolve) => (release = resolve));
  endpoint.answer(async (call, response) => {
    const word = calledWith(call);
    if (word === "held") await isClosed;
    if (hasMoved || word !== "later") return { content: `heard ${word}` };
    response.writeHead(503).end("not now");
  });
  const mention = (word: string) => inRoom(room.id, `@**${bot.fullName}** ${word}`);
  const series = (content: string) =>
    createdSeries(client, dailySeries(room.id, { content, start: aMinuteAgo() }));
  const scheduled = (content: string, seconds: number) =>
    schedule(client, {
      ...inRoom(room.id, content),
      scheduled_delivery_timestamp: inSeconds(seconds),
    });

  const { url: file } = await upload(client, "menu.txt", "soup");
  const first = Number((await post(client, inRoom(room.id, "soup 1"))).body["id"]);
  await movePlanned(db, await series("series before"), { days: 1 });
  await scheduled("scheduled before", 5);
  await post(client, mention("before"));
  await post(client, mention("later"));
  await waitFor(
    async () => {
      const said = await texts(db, org.realm.id);
      const calls = endpoint.calls.filter((call) => calledWith(call) === "later");
      return (
        calls.length > 0 &&
        ["series before", "scheduled before", "heard before"].every((one) => said.includes(one))
      );
    },
    { what: "the old installation works", timeoutMs: waitTimeoutMs },
  );
  const closing = {
    series: await series("series during"),
    scheduled: await scheduled("scheduled during", 3_600),
    late: await scheduled("scheduled too late", 3_600),
    reminder: await remind(client, first, { note: "reminder during" }),
  };
  await scheduled("scheduled after", 3_600);
  await remind(client, first, { note: "reminder after" });
  const { body: queue } = await client.post("/api/v1/register", { event_types: ["message"] });

  const writers = [member, owner].map((account, place) =>
    startWriter({ account, gateways, room }, async (say, n) => {
      await say("messages", `message ${place}-${n}`);
      if (n % 3 === 0)
        await say("scheduled_messages", `scheduled ${place}-${n}`, () => ({
          scheduled_delivery_timestamp: inSeconds(5 + (n % 20)),
        }));
      if (n % 4 === 0) await say("messages", mention(`${place}-${n}`).content);
    }),
  );
  await waitFor(() => writers.every(({ said }) => said.length > 10), { what: "writers write" });

  // In a topic of its own, because calls of one topic are made one after the other.
  await post(client, { ...mention("held"), topic: "held" });
  await waitFor(() => heldCalls() === 1, { what: "a call is under way", timeoutMs: waitTimeoutMs });
  const folderOfExport = join(folder, "export");
  const onOld = { ...old.variables, ...ofOld };
  const onNext = { ...next.variables, ...ofNext };
  const named = ["--organization", "bells"];
  const exporting = startCarillon(
    ["organization", "export", folderOfExport, "--final", ...named],
    onOld,
  );
  await waitFor(async () => (await isReadOnly(db, org.realm.id)) || !exporting.running(), {
    what: "the organization is read-only",
    everyMs: 10,
    timeoutMs: waitTimeoutMs,
  });
  // The rows are read a second later at the earliest, so these become due while the organization moves.
  await Promise.all([
    movePlanned(db, closing.series, { days: 1 }),
    ...[closing.scheduled, closing.reminder].map((id) => makeDue(db, id)),
    makeDue(db, closing.late, -tooLate),
  ]);
  expect(await exporting.exit, exporting.output()).to.deep.equal({ code: 0, signal: null });
  const inOld = await texts(db, org.realm.id);
  expect(heldCalls()).to.equal(1);
  release();
  hasMoved = true;
  const imported = await carillon(["organization", "import", folderOfExport], onNext);
  expect(imported).to.match(/^Imported Bells at http:\/\/bells\.new\.test: /m);
  const { realmId, importedAt } = await importedOrganization(next.db);
  await carillon(["organization", "redirect", addresses.next, ...named], onOld);

  // Clients.
  const atNext = (one: Writer) => {
    if (one.failure !== undefined) throw one.failure;
    return one.said.filter(({ at }) => at === addresses.next).length > 10;
  };
  await waitFor(() => writers.every(atNext), { what: "writers go on", timeoutMs: waitTimeoutMs });
  await Promise.all(writers.map((one) => one.stop()));
  const poll = await client.get("/api/v1/events", {
    queue_id: queue["queue_id"],
    last_event_id: queue["last_event_id"],
  });
  expect([poll.status, poll.body.code, poll.body.msg]).to.deep.equal([
    401,
    "REALM_DEACTIVATED",
    `The organization has moved to ${addresses.next}`,
  ]);
  const page = await waitFor(
    async () => {
      const answer = await requestAt(gateway.url, "bells.old.test", "/login?next=%2F");
      return answer.status === 308 && answer;
    },
    { what: "browsers are redirected", timeoutMs: waitTimeoutMs },
  );
  expect(page.location).to.equal(`${addresses.next}/login?next=%2F`);
  const settings = await requestAt(nextGateway.url, "bells.new.test", "/api/v1/server_settings");
  expect(JSON.parse(settings.text)).to.include({ realm_name: "Bells" });

  // What becomes due afterwards.
  const nextClient = clientOf(nextGateway.url, member);
  const list = async (path: string) =>
    (await nextClient.get(`/api/v1/${path}`)).body[path] as Array<Record<string, unknown>>;
  const after = (await list("scheduled_messages")).find(
    ({ content }) => content === "scheduled after",
  );
  const soon = { scheduled_delivery_timestamp: inSeconds(5) };
  const changed = await nextClient.patch(
    `/api/v1/scheduled_messages/${String(after?.["scheduled_message_id"])}`,
    soon,
  );
  expect(changed.status, changed.text).to.equal(200);
  // The other one became due during the move.
  await waitFor(async () => (await list("reminders")).length === 1, {
    what: "one reminder is left",
    timeoutMs: waitTimeoutMs,
  });
  const due = await next.db.rows(
    `UPDATE scheduled_messages SET deliver_at = now(), alarmed_at = NULL
     WHERE realm_id = $1 AND reminder_note = 'reminder after' RETURNING id`,
    [realmId],
  );
  expect(due).to.have.length(1);
  await waitFor(async () => (await unsent(next.db, realmId)) === 0, {
    what: "everything is sent",
    timeoutMs: waitTimeoutMs,
  });

  const wanted = [
    "soup 1",
    ...["before", "during"].map((when) => `series ${when}`),
    ...["before", "during", "after"].map((when) => `scheduled ${when}`),
    ...["before", "later", "held"].flatMap((word) => [mention(word).content, `heard ${word}`]),
    ...writers.flatMap(({ said }) =>
      said.flatMap(({ content }) => {
        const [, word] = /^@\*\*.*\*\* (.*)$/.exec(content) ?? [];
        return word === undefined ? [content] : [content, `heard ${word}`];
      }),
    ),
  ];
  const inRoomNow = await next.db.rows<{ content: string }>(
    `SELECT content FROM messages WHERE realm_id = $1 AND is_channel AND topic IN ('move', 'held', 'stand-up')`,
    [realmId],
  );
  expect(inRoomNow.map(({ content }) => content).toSorted()).to.deep.equal(wanted.toSorted());
  const notices = (await texts(next.db, realmId)).filter((one) => !wanted.includes(one));
  const count = (part: string) => notices.filter((one) => one.includes(part)).length;
  expect([count("reminder during"), count("reminder after")]).to.deep.equal([1, 1]);
  expect(count("The server was more than ten minutes late"), notices.join("\n")).to.equal(1);
  const failed = (await list("scheduled_messages")).filter((one) => one["failed"] === true);
  expect(failed.map(({ content }) => content)).to.deep.equal(["scheduled too late"]);
  await expectPlannedAhead(next.db, realmId, 2);

  // Who sent them, and when.
  expect(await texts(db, org.realm.id), "the old installation sends nothing more").to.deep.equal(
    inOld,
  );
  const times = await deliveries(next.db, realmId);
  expect(times.some(({ sentAt }) => sentAt < importedAt)).to.equal(true);
  const later = times.filter(({ dueAt }) => dueAt > importedAt);
  expect(later.length).to.be.greaterThan(0);
  for (const { content, dueAt, sentAt } of times) {
    const earliest = sentAt < importedAt ? dueAt : Math.max(dueAt, importedAt);
    expect(sentAt - earliest, content).to.be.within(0, maxLate);
  }
  expect(heldCalls(), "the new installation makes the call again").to.equal(2);
  const ids = new Map<string, Set<string>>();
  for (const call of endpoint.calls) {
    const word = calledWith(call) ?? "";
    ids.set(word, (ids.get(word) ?? new Set()).add(call.headers["webhook-id"] ?? ""));
  }
  for (const [word, each] of ids) expect(each.size, `calls about ${word} have one id`).to.equal(1);

  const { body: attachments } = await nextClient.get("/api/v1/attachments");
  const [attachment] = attachments["attachments"] as Array<{ path_id: string }>;
  expect(file).to.match(/menu\.txt$/);
  const read = await nextClient.get(`/user_uploads/${attachment?.path_id}`);
  expect(read.text).to.equal("soup");
}

/** Parameters of a message in the channel. */
const inRoom = (to: number, content: string) => ({ type: "channel", to, topic: "move", content });

async function post(client: Pick<Writer["client"], "post">, params: Params): Promise<Answer> {
  const answer = await client.post("/api/v1/messages", params);
  expect(answer.status, answer.text).to.equal(200);
  return answer;
}

/** The local time in UTC of a minute ago, when an occurrence of a daily series was due. */
function aMinuteAgo(): string {
  const year = new Date(systemClock.now()).getUTCFullYear() - 1;
  return `${year}-01-01T${new Date(systemClock.now() - 60_000).toISOString().slice(11, 19)}`;
}

/**
 * Milliseconds between two messages of a writer. A move takes a minute on a busy machine; without a pause, thousands of
 * messages and calls would make it take several.
 */
const writerPauseMs = 250;

/**
 * A client that writes to the channel. When a refusal names a new address, it continues there, and looks up the new id of the
 * channel first.
 */
interface Writer {
  readonly client: ReturnType<typeof clientOf>;
  /** What was accepted, and where. */
  readonly said: ReadonlyArray<{ readonly content: string; readonly at: string }>;
  /** The error that has ended its work. */
  readonly failure: unknown;
  stop(): Promise<void>;
}

/** `params` is called for each try: a time may have passed when the organization has moved. */
type Say = (what: string, content: string, params?: () => Params) => Promise<void>;

interface Writing {
  readonly account: TestAccount;
  /** URLs by address. */
  readonly gateways: ReadonlyMap<string, string>;
  readonly room: { readonly id: number; readonly name: string };
}

function startWriter(
  { account, gateways, room }: Writing,
  write: (say: Say, n: number) => Promise<void>,
): Writer {
  const said: Array<{ content: string; at: string }> = [];
  let at = addresses.old;
  let { id } = room;
  let isOver = false;
  const clientNow = () => clientOf(gateways.get(at) ?? "", account);
  const moveTo = async (address: string) => {
    at = address;
    const answer = await waitFor(
      async () => {
        const found = await clientNow().get("/api/v1/get_stream_id", { stream: room.name });
        return found.status !== 503 && found;
      },
      { what: `${address} is not too busy` },
    );
    expect(answer.status, answer.text).to.equal(200);
    id = Number(answer.body["stream_id"]);
  };
  const say: Say = async (what, content, params) => {
    for (;;) {
      const answer = await clientNow().post(`/api/v1/${what}`, {
        ...inRoom(id, content),
        ...params?.(),
      });
      const { status, body } = answer;
      if (status === 200) {
        said.push({ content, at });
        return;
      }
      const [, address] = /^The organization has moved to (\S+)$/.exec(body.msg ?? "") ?? [];
      // On a busy machine, a gateway may refuse a request because it has too many others.
      if (address === undefined)
        expect(
          body.code === "ORGANIZATION_READ_ONLY" || /nothing was changed/.test(body.msg ?? ""),
          answer.text,
        ).to.equal(true);
      else await moveTo(address);
      await pause(100);
    }
  };
  const writing = (async () => {
    for (let n = 0; !isOver; n++) {
      await write(say, n);
      await pause(writerPauseMs);
    }
  })();
  let failure: unknown;
  writing.catch((error: unknown) => (failure = error));
  return {
    get failure() {
      return failure;
    },
    get client() {
      return clientNow();
    },
    said,
    async stop() {
      isOver = true;
      await writing;
    },
  };
}

/** Sends a request with a host name, which fetch does not do. */
async function requestAt(base: string, host: string, path: string) {
  const { hostname, port } = new URL(base);
  const sent = get({ hostname, port, path, headers: { Host: host } });
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const { statusCode: status, headers } = answer;
  return { status, location: headers.location, text: await text(answer) };
}

async function texts(db: Database, realmId: number): Promise<string[]> {
  const rows = await db.rows<{ content: string }>(
    "SELECT content FROM messages WHERE realm_id = $1 ORDER BY id",
    [realmId],
  );
  return rows.map(({ content }) => content);
}

async function isReadOnly(db: Database, realmId: number): Promise<boolean> {
  const rows = await db.rows("SELECT FROM realms WHERE id = $1 AND read_only_since IS NOT NULL", [
    realmId,
  ]);
  return rows.length > 0;
}

async function importedOrganization(db: Database) {
  const [row] = await db.rows<{ realmId: number; importedAt: number }>(
    `SELECT realm_id AS "realmId", extract(epoch FROM finished_at)::float8 AS "importedAt" FROM organization_imports`,
  );
  if (!row) throw new Error("nothing was imported");
  return row;
}

/** Counts pending messages other than the next occurrences of series, and calls that wait. */
async function unsent(db: Database, realmId: number): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    `SELECT ((SELECT count(*) FROM scheduled_messages WHERE realm_id = $1 AND NOT delivered AND NOT failed
        AND deliver_at < now() + interval '30 minutes')
      + (SELECT count(*) FROM outgoing_call WHERE realm_id = $1 AND state = 'waiting'))::int AS n`,
    [realmId],
  );
  return row?.n ?? 0;
}

/** Times in UNIX seconds of the messages that were sent at a time. */
function deliveries(db: Database, realmId: number) {
  return db.rows<{ content: string; dueAt: number; sentAt: number }>(
    `SELECT s.content, extract(epoch FROM s.deliver_at)::float8 AS "dueAt", extract(epoch FROM m.sent_at)::float8 AS "sentAt"
     FROM scheduled_messages s JOIN messages m ON m.id = s.delivered_message_id
     WHERE s.realm_id = $1 AND s.series_id IS NULL AND s.kind = 1`,
    [realmId],
  );
}

async function expectPlannedAhead(db: Database, realmId: number, count: number): Promise<void> {
  const rows = await db.rows(
    `SELECT FROM scheduled_messages WHERE realm_id = $1 AND series_id IS NOT NULL AND NOT delivered AND NOT failed
       AND deliver_at BETWEEN now() + interval '12 hours' AND now() + interval '25 hours'`,
    [realmId],
  );
  expect(rows).to.have.length(count);
}
