import { insertUser } from "@carillon/domain";
import { loadRealm } from "@carillon/model";
import { longestIteration, measuringIterations } from "./lib/longest-iteration.ts";
import { startLoader } from "./lib/load.ts";
import { report, say, type Row } from "./lib/report.ts";
import { formRequest, type FormRequest } from "./lib/requests.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { median, medianRatio, spread } from "./lib/statistics.ts";
import { benchSite, startGateway } from "./lib/system.ts";
import { createWorld, type Member } from "./lib/world.ts";
import { send } from "./worst-request/send.ts";

// Measures incoming webhooks: a push of 20 commits against POST /messages with the same text, and how long a payload of
// 2 MiB holds the event loop.
const rounds = Number(process.env["ROUNDS"] ?? 7);
const seconds = Number(process.env["SECONDS"] ?? 3);
const mostBytes = 2 * 1024 * 1024;

const loader = await startLoader();
const database = await createBenchDatabase("postgres");
const { db } = database;
const world = await createWorld(db, 1, 10);
const [channel] = world.channels;
if (!channel) throw new Error("the world has no channel");
const bot = await createBot(channel.members[0]!);
const gateway = await startGateway(database, measuringIterations);

const rows = [await pushes(), ...(await largePayloads())];
await report("webhooks", rows);
await loader.stop();
await gateway.stop();
await database.drop();
process.exit(0);

async function createBot({ id: botOwnerId }: Member): Promise<Member> {
  const email = "hook-bot@bench.test";
  const { account, apiKey } = await db.transaction(async (tx) =>
    insertUser(tx, benchSite, await loadRealm(tx, world.realmId), {
      email,
      fullName: "Hook",
      isBot: true,
      botType: 2,
      botOwnerId,
    }),
  );
  return { id: account.id, name: "Hook", email, apiKey };
}

function webhook(integration: string, body: string, headers = {}): FormRequest {
  const query = new URLSearchParams({ api_key: bot.apiKey, stream: String(channel!.id) });
  return {
    method: "POST",
    path: `/api/v1/external/${integration}?${query}`,
    headers: { "content-type": "application/json", ...headers },
    body,
  };
}

/** Compares the rates of requests that are sent one after the other. */
async function pushes(): Promise<Row> {
  const push = webhook("github", JSON.stringify(payload(20)), { "x-github-event": "push" });
  const answer = await send(gateway.port, { ...push, body: Buffer.from(push.body) });
  if (answer !== "200") throw new Error(`the push was answered ${answer}`);
  const [sent] = await db.rows<{ topic: string; content: string }>(
    "SELECT topic, content FROM messages WHERE sender_id = $1 ORDER BY id DESC LIMIT 1",
    [bot.id],
  );
  if (!sent) throw new Error("the push sent no message");
  const fields = { type: "stream", to: String(channel!.id), ...sent };
  const message = formRequest(bot, "/api/v1/messages", fields);
  const run = (request: FormRequest) =>
    loader.run({ port: gateway.port, seconds, connections: 1, requests: [request] });
  await run(push);
  await run(message);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const isFirst = round % 2 === 0;
    const one = await run(isFirst ? push : message);
    const other = await run(isFirst ? message : push);
    const [own, plain] = isFirst ? [one, other] : [other, one];
    ours.push(1_000 / own.rate);
    theirs.push(1_000 / plain.rate);
    say(
      `round ${round}: push ${ours.at(-1)?.toFixed(2)} ms, message ${theirs.at(-1)?.toFixed(2)} ms`,
    );
  }
  const ratio = medianRatio(ours, theirs);
  return {
    question:
      "a push of 20 commits to `github` against POST /messages with the same text, one at a time",
    value: `${ratio.toFixed(2)} × (${spread(ours)} ms against ${spread(theirs)})`,
    target: "at most 1.5 ×",
    holds: ratio <= 1.5,
  };
}

async function largePayloads(): Promise<Row[]> {
  const fill = (one: string, left = 1) =>
    `[${Array(Math.floor((mostBytes - left) / (one.length + 1)) - 1)
      .fill(one)
      .join()}]`;
  const names = Array.from({ length: mostBytes / 20 }, (_, n) => `"name ${n}":${n % 10}`);
  const alert = '{"status":"firing","labels":{"alertname":"a","instance":"b"}}';
  const alerts = `{"alerts":${fill(alert, 100)}}`;
  const cases: ReadonlyArray<readonly [string, FormRequest]> = [
    ["one text, to `json`", webhook("json", `"${"x".repeat(mostBytes - 2)}"`)],
    ["lists, to `json`", webhook("json", fill("[]"))],
    ["names, to `json`", webhook("json", `{${names.join()}}`)],
    [
      "markup, to `slack_incoming`",
      webhook("slack_incoming", JSON.stringify({ text: "*a* <@U1|b> ".repeat(mostBytes / 13) })),
    ],
    [
      "commits, to `github`",
      webhook("github", JSON.stringify(payload(2_000)).padEnd(mostBytes), {
        "x-github-event": "push",
      }),
    ],
    ["alerts, too many, to `alertmanager`", webhook("alertmanager", alerts)],
  ];
  const rows: Row[] = [];
  for (const [what, { body, ...request }] of cases) {
    const longest: number[] = [];
    let status = "";
    for (let round = 0; round < rounds; round++) {
      await longestIteration(gateway);
      status = await send(gateway.port, { ...request, body: Buffer.from(body) });
      longest.push(await longestIteration(gateway));
    }
    const held = median(longest);
    say(`${what}: ${held.toFixed(0)} ms, answered ${status}`);
    rows.push({
      question: `2 MiB of ${what}: longest iteration of the gateway's event loop, processor time, median of ${rounds}`,
      value: `${held.toFixed(0)} ms (answered ${status})`,
      target: "below 50 ms",
      holds: held < 50,
    });
  }
  return rows;
}

/** The payload of a push, with the fields that GitHub sends for each commit. */
function payload(count: number): object {
  const person = { name: "Mona Lisa", email: "mona@example.com", username: "octocat" };
  const commits = Array.from({ length: count }, (_, n) => ({
    id: n.toString(16).padStart(40, "0"),
    tree_id: "f9d2a07e9488b91af2641b26b9407fe22a451433",
    distinct: true,
    message: `Change number ${n} of the login page\n\nIt is described here.`,
    timestamp: "2026-03-01T10:20:30+01:00",
    url: `https://github.com/octo-org/website/commit/${n.toString(16).padStart(40, "0")}`,
    author: person,
    committer: person,
    added: [],
    removed: [],
    modified: ["README.md", "src/login.ts"],
  }));
  return {
    ref: "refs/heads/main",
    created: false,
    deleted: false,
    forced: false,
    compare: "https://github.com/octo-org/website/compare/a...b",
    repository: { name: "website", full_name: "octo-org/website" },
    sender: { login: "octocat" },
    commits,
  };
}
