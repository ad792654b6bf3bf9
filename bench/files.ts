import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wantedThreads } from "@carillon/kit";
import { s3Program, startS3Server } from "@carillon/testkit";
import type { FilesAnswer, FilesRequest } from "./peers/files-load.ts";
import { ratesByTurns } from "./lib/by-turns.ts";
import { startChild, type Child } from "./lib/child.ts";
import { longestIteration, measuringIterations } from "./lib/longest-iteration.ts";
import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { credentials, formRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { type RunningGateway, startGateway } from "./lib/system.ts";
import { watch, watchable } from "./lib/watched-process.ts";
import { createWorld, type Member } from "./lib/world.ts";

// Measures uploads and downloads: memory, delays of other requests, and rates against bare node:http servers; the access
// check of a file in many messages; sending with a link to a file.
const mebibyte = 2 ** 20;
const large = 25 * mebibyte;
const small = 10 * 1024;
const rounds = 3;
const seconds = 2;
const atOnce = 40;

/** As deployments start a gateway; the bare server gets as many. */
const threads = { UV_THREADPOOL_SIZE: String(wantedThreads) };

const database = await createBenchDatabase("postgres");
const world = await createWorld(database.db, 2, 40);
const [member] = world.members as [Member];
const authorizations = world.members.map(credentials);
const folder = await mkdtemp(join(tmpdir(), "carillon-bench-files-"));
const load = await startFilesLoad();
const other = await startFilesLoad();
const rows: Row[] = [];
const program = s3Program();
for (const kind of ["disk", "s3"] as const) {
  if (kind === "s3" && program === undefined) {
    say("there is no versitygw: S3 is not measured");
    continue;
  }
  const s3 = kind === "s3" ? await startS3Server(program!) : undefined;
  const variables = s3?.variables ?? { FILES_DIR: join(folder, "carillon") };
  const gateway = await startGateway(database, [...watchable, ...measuringIterations], {
    ...variables,
    ...threads,
  });
  rows.push(...(await measureManyAtOnce(kind, gateway)));
  await gateway.stop();
  await s3?.close();
}
const gateway = await startGateway(database, [], {
  FILES_DIR: join(folder, "carillon"),
  ...threads,
});
const bareFolder = join(folder, "bare");
await mkdir(bareFolder);
const peer = startChild("peer-files", "bench/peers/files.ts", {
  FILES_DIR: bareFolder,
  NODE_ENV: "production",
  ...threads,
});
await peer.written("peer started on");
const peerPort = Number(/peer started on (\d+)/.exec(peer.output())?.[1]);
rows.push(await measureUploads("25 MiB", large, 8, 0.6));
rows.push(await measureUploads("10 KiB", small, 32, 0.35));
rows.push(await measureDownloads("25 MiB", large, 4, 0.8));
rows.push(await measureDownloads("10 KiB", small, 16, 0.25));
rows.push(...(await measureAccess()));
rows.push(await measureClaims());
await gateway.stop();
await peer.stop();
await load.child.stop();
await other.child.stop();
await report("files", rows);
await rm(folder, { recursive: true });
await database.drop();
process.exit(0);

interface FilesLoad {
  readonly child: Child;
  run(request: FilesRequest): Promise<FilesAnswer>;
}

async function startFilesLoad(): Promise<FilesLoad> {
  const child = startChild("files-load", "bench/peers/files-load.ts", { NODE_ENV: "production" });
  await child.written("files-load started");
  const ended = once(child.process, "exit").then(() => {
    throw new Error(`the load process ended:\n${child.output()}`);
  });
  ended.catch(() => undefined);
  return {
    child,
    async run(request) {
      child.process.send(request);
      const [answer] = (await Promise.race([once(child.process, "message"), ended])) as [
        FilesAnswer,
      ];
      return answer;
    },
  };
}

/** Sends 40 uploads of 25 MiB at once, while another client requests its account. */
async function measureManyAtOnce(kind: "disk" | "s3", { port, ...child }: RunningGateway) {
  const uploads = {
    port,
    path: "/api/v1/user_uploads",
    inFlight: atOnce,
    seconds: 0,
    authorizations,
  };
  const ask = { port, path: "/api/v1/users/me", uploads: 0, inFlight: 1, everyMs: 10 };
  await load.run({ ...uploads, uploads: small });
  await other.run({ ...ask, seconds: 1, authorizations: authorizations.slice(-1) });
  await longestIteration(child);
  const end = watch(child);
  const asking = other.run({ ...ask, seconds: 8, authorizations: authorizations.slice(-1) });
  const sent = await load.run({ ...uploads, uploads: large });
  const longest = await longestIteration(child);
  const { rest, peak } = await end();
  const { p99, p50 } = await asking;
  const more = (peak - rest) / mebibyte;
  say(`${kind}: ${sent.rate.toFixed(1)} uploads/s, RSS + ${more.toFixed(0)} MiB, p50 ${p50} ms`);
  const [limit, where] = kind === "disk" ? [64, "on disk"] : [128, "on S3 (versitygw)"];
  const what = `${atOnce} uploads of 25 MiB at once from ${atOnce} accounts, ${where}`;
  return [
    {
      question: `${what}: growth of the gateway's memory (RSS)`,
      value: `${more.toFixed(0)} MiB (from ${(rest / mebibyte).toFixed(0)} MiB)`,
      target: `at most ${limit} MiB`,
      holds: more <= limit,
    },
    {
      question: `${what}: longest iteration of the event loop, in processor time`,
      value: `${longest.toFixed(0)} ms`,
      target: "at most 50 ms",
      holds: longest <= 50,
    },
    {
      question: `${what}: \`GET /users/me\` of another account at the same time, one at a time, p99`,
      value: `${p99.toFixed(0)} ms (p50 ${p50.toFixed(0)} ms)`,
      target: "at most 100 ms",
      holds: p99 <= 100,
    },
  ];
}

async function measureUploads(
  name: string,
  uploads: number,
  inFlight: number,
  target: number,
): Promise<Row> {
  const path = "/api/v1/user_uploads";
  const run = (port: number) =>
    load.run({ port, path, uploads, inFlight, seconds, authorizations });
  return ratioRow(
    `uploads of ${name}, ${inFlight} in flight, on disk, against a bare node:http server that writes the body to a file, syncs and renames it`,
    run,
    target,
  );
}

async function measureDownloads(
  name: string,
  bytes: number,
  inFlight: number,
  target: number,
): Promise<Row> {
  const content = Buffer.alloc(bytes, "carillon");
  const url = await upload(content);
  await writeFile(join(bareFolder, name.replace(" ", "")), content);
  const run = (port: number) => {
    const path = port === gateway.port ? url : `/${name.replace(" ", "")}`;
    const own = authorizations.slice(0, 1);
    return load.run({ port, path, uploads: 0, inFlight, seconds, authorizations: own });
  };
  return ratioRow(
    `downloads of ${name} with credentials, ${inFlight} in flight, on disk, against createReadStream().pipe(response)`,
    run,
    target,
  );
}

async function ratioRow(
  question: string,
  run: (port: number) => Promise<FilesAnswer>,
  target: number,
): Promise<Row> {
  const ports = { gateway: gateway.port, peer: peerPort };
  const { ours, theirs } = await ratesByTurns(run, ports, rounds);
  const ratio = medianRatio(ours, theirs);
  return {
    question,
    value: `${ratio.toFixed(2)} × (${spread(ours, 1)} requests/s against ${spread(theirs, 1)})`,
    target: `at least ${target} ×`,
    holds: ratio >= target,
  };
}

/** Requests the address of a file that 10,000 messages claim, as another account. */
async function measureAccess(): Promise<Row[]> {
  const url = await upload(Buffer.from("in many messages"));
  const pathId = url.slice("/user_uploads/".length);
  const [, room] = world.channels;
  await database.db.rows(
    "UPDATE channels SET invite_only = true, history_public_to_subscribers = false WHERE id = $1",
    [room!.id],
  );
  await database.db.rows(
    `WITH made AS (
        INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content, render_version, client_id)
        SELECT $1, $2, $3, true, 't', 'x', 'x', 1, (SELECT min(id) FROM clients) FROM generate_series(1, 10000) RETURNING id)
      INSERT INTO attachment_claims (attachment_id, message_id)
      SELECT (SELECT id FROM attachments WHERE path_id = $4), id FROM made`,
    [world.realmId, member.id, room!.recipientId, pathId],
  );
  await database.db.rows("ANALYZE");
  const reader = room!.members[0]!;
  const times: number[] = [];
  const ask = async (status: number) => {
    const from = performance.now();
    const answer = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/user_uploads/${pathId}`, {
      headers: { authorization: credentials(reader) },
    });
    await answer.text();
    times.push(performance.now() - from);
    if (answer.status !== status) throw new Error(`the file was answered with ${answer.status}`);
  };
  const measure = async (status: number, who: string): Promise<Row> => {
    times.length = 0;
    for (let n = 0; n < 60; n++) await ask(status);
    const value = median(times.slice(10));
    return {
      question: `access to a file in 10,000 messages of a private channel with protected history, by ${who}: whole request, one at a time, median of 50`,
      value: `${value.toFixed(1)} ms`,
      target: "at most 10 ms",
      holds: value <= 10,
    };
  };
  const refused = await measure(404, "a subscriber who has received none of them");
  await database.db.rows(
    `INSERT INTO user_messages (user_id, message_id, flags)
     SELECT $1, max(message_id), 0 FROM attachment_claims WHERE attachment_id = (SELECT id FROM attachments WHERE path_id = $2)`,
    [reader.id, pathId],
  );
  return [refused, await measure(200, "a subscriber who has received the last of them")];
}

/** Compares sending a link to an own file, which claims it, with a link to an unknown one. */
async function measureClaims(): Promise<Row> {
  const loader = await startLoader();
  const senders = world.channels[0]!.members.slice(0, 8);
  const own = await Promise.all(senders.map((sender) => upload(Buffer.from("claimed"), sender)));
  const unknown = own.map((url) => url.replace(/[\w-]{24}/, "A".repeat(24)));
  const requests = (urls: readonly string[]) =>
    Array.from({ length: 200 }, (_, n) => {
      const index = n % senders.length;
      const content = `see [the file](${urls[index]})`;
      return formRequest(senders[index]!, "/api/v1/messages", {
        type: "channel",
        to: String(world.channels[0]!.id),
        topic: `topic ${n % 8}`,
        content,
      });
    });
  const run = (urls: readonly string[]) =>
    loader.run({ port: gateway.port, seconds, connections: 8, requests: requests(urls) });
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const claimed = await run(own);
    const plain = await run(unknown);
    if (round === 0) continue;
    ours.push(claimed.rate);
    theirs.push(plain.rate);
  }
  await loader.stop();
  const ratio = medianRatio(ours, theirs);
  return {
    question:
      "sending messages with a link to a file of the sender, 8 in flight, against a link to an unknown file",
    value: `${ratio.toFixed(2)} × (${spread(ours)} messages/s against ${spread(theirs)})`,
    target: "at least 0.5 ×",
    holds: ratio >= 0.5,
  };
}

/** Uploads a file and returns its address. */
async function upload(content: Buffer, by: Member = member): Promise<string> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(content)]), "bench.bin");
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/user_uploads`, {
    method: "POST",
    headers: { authorization: credentials(by) },
    body: form,
  });
  const { url } = (await answer.json()) as { url?: string };
  if (url === undefined) throw new Error(`the upload was answered with ${answer.status}`);
  return url;
}
