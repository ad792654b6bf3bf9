import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import {
  bot,
  channel,
  eventSubscription,
  send,
  serveEvents,
  toChannel,
  toUsers,
  useEndpoint,
  useProcesses,
  useScene,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { build } from "esbuild";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const tsc = join(root, "node_modules/typescript/bin/tsc");

describe("The package of the client", function () {
  this.timeout(240_000);
  const scene = useScene();
  const processes = useProcesses();
  const endpoint = useEndpoint();
  let folder = "";
  let packed: readonly string[] = [];
  before("pack it, and install it into an empty folder", async () => {
    folder = await mkdtemp(join(tmpdir(), "carillon-client-"));
    const { stdout } = await run(
      "npm",
      ["pack", "--json", "--workspace=packages/client", `--pack-destination=${folder}`],
      { cwd: root },
    );
    const [made] = JSON.parse(stdout.slice(stdout.indexOf("["))) as {
      filename: string;
      files: { path: string }[];
    }[];
    if (!made) throw new Error(`npm pack printed ${stdout}`);
    packed = made.files.map(({ path }) => path);
    await writeFile(join(folder, "package.json"), '{"type":"module","private":true}');
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", made.filename], {
      cwd: folder,
    });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it("has its own files only, and needs no other package", async () => {
    expect(packed.filter((path) => !/^(dist|src)\//.test(path)).toSorted()).to.deep.equal([
      "LICENSE",
      "README.md",
      "package.json",
    ]);
    expect(packed.filter((path) => /\.test\.|test-support|node_modules/.test(path))).to.deep.equal(
      [],
    );
    const installed = await readdir(join(folder, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).to.deep.equal(["@carillon"]);
    const license = await readFile(join(folder, "node_modules/@carillon/client/LICENSE"), "utf8");
    expect(license).to.equal(await readFile(join(root, "LICENSE"), "utf8"));
  });

  /** Has a batch of events delivered, and returns its body. */
  const deliveredBatch = async () => {
    const { db, org, gateway } = scene;
    const account = await bot(db, org.member);
    const room = await channel(db, org.member, { subscribers: [org.member, account] });
    const types = { event_types: ["message", "reaction", "update_message", "delete_message"] };
    const subscribed = await eventSubscription(scene, account, endpoint.url, types);
    const member = gateway.as(org.member);
    const id = await send(member, toChannel(room.id));
    await send(member, toUsers([account.id]));
    const path = `/api/v1/messages/${id}`;
    await member.post(`${path}/reactions`, { emoji_name: "tada" });
    await member.patch(path, { content: "changed" });
    await gateway.as(org.owner).delete(path);
    await serveEvents(db, subscribed);
    const [call] = endpoint.calls;
    if (!call) throw new Error("no batch was delivered");
    for (const type of types.event_types) expect(call.body).to.include(`"type":"${type}"`);
    return call.body;
  };

  it("has types that stand alone, fit what is delivered and know wrong programs", async () => {
    const batch = await deliveredBatch();
    const program = `
import { ApiError, Client, type EventMessage, replyTo, type ServerEvent } from "@carillon/client";
import { clientFromZuliprc } from "@carillon/client/node";
import { type EventSubscriptionCall, type OutgoingWebhookAnswer, type OutgoingWebhookCall, verifyWebhook } from "@carillon/client/webhooks";

const client: Client = await clientFromZuliprc("x");
const { id }: { id: number } = await client.sendMessage({ type: "channel", to: 1, topic: "t", content: "c" });
await client.call("delete-message", { message_id: id });
for await (const event of client.events({ event_types: ["message", "reaction"] })) {
  if (event.type === "registered") continue;
  if (event.type === "message") {
    const message: EventMessage = event.message;
    await client.sendMessage({ ...replyTo(message), content: message.content });
  } else {
    const emoji: string = event.emoji_name;
    // @ts-expect-error the queue has no such events
    if (event.type === "typing") console.log(emoji);
  }
}
const name = (event: ServerEvent) => event.type === "saved_snippets" && event.op === "add" && event.saved_snippet.title;
try {
  // @ts-expect-error content is missing
  await client.sendMessage({ type: "channel", to: 1 });
  // @ts-expect-error there is no such parameter
  await client.getOwnUser({ nonsense: 1 });
  // @ts-expect-error there is no such operation
  await client.call("nonsense");
  // @ts-expect-error answers are not any
  (await client.getOwnUser()).nonsense;
} catch (error) {
  if (error instanceof ApiError && error.code === "RATE_LIMIT_HIT") console.log(error.retryAfter, name);
}
await verifyWebhook({ body: "", headers: new Headers() }, { secret: "" });
const answered = ({ data, message, trigger }: OutgoingWebhookCall): OutgoingWebhookAnswer => {
  // @ts-expect-error there is no such trigger
  if (trigger === "reaction") return {};
  // @ts-expect-error bots have no flags
  console.log(message.flags);
  return { content: message.rendered_content + data };
};
console.log(answered);
const delivered = ${batch} satisfies EventSubscriptionCall;
const handled = (call: EventSubscriptionCall): number[] => {
  // @ts-expect-error pings have no events
  if (call.type === "ping") return call.data.events;
  return call.data.events.map((event) => {
    // @ts-expect-error no subscription delivers such events
    if (event.type === "typing") return 0;
    return event.type === "message" ? event.message.id : event.id;
  });
};
console.log(handled(delivered));
`;
    await writeFile(join(folder, "program.ts"), program);
    const options = [
      "--strict",
      "--noEmit",
      "--skipLibCheck",
      "false",
      "--exactOptionalPropertyTypes",
    ];
    for (const resolution of [
      ["--module", "nodenext"],
      ["--module", "esnext", "--moduleResolution", "bundler"],
    ]) {
      const types = ["--types", "", "--lib", "es2023,dom,dom.iterable", "--target", "es2023"];
      const checked = run(
        process.execPath,
        [tsc, ...options, ...resolution, ...types, "program.ts"],
        {
          cwd: folder,
        },
      );
      await checked.catch((error: { stdout: string }) => {
        throw new Error(error.stdout);
      });
    }
  });

  it("runs the bot of the README, which answers", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const [, source = ""] = /```js\n\/\/ bot\.mjs[^\n]*\n([^]*?)```/.exec(readme) ?? [];
    expect(source.trim().split("\n").filter(Boolean).length).to.be.within(5, 10);
    const own = await readFile(join(folder, "node_modules/@carillon/client/README.md"), "utf8");
    expect(own, "the package's README has the same bot").to.include(source);
    const { db, org, gateway } = scene;
    const account = await bot(db, org.member);
    const room = await channel(db, org.member, { subscribers: [org.member, account] });
    await mkdir(join(folder, "bot"));
    await writeFile(join(folder, "bot", "bot.mjs"), source);
    const { deliveryEmail, apiKey } = account;
    const zuliprc = `[api]\nemail=${deliveryEmail}\nkey=${apiKey}\nsite=${gateway.url}\n`;
    await writeFile(join(folder, "zuliprc"), zuliprc);
    const running = processes.program(
      process.execPath,
      [join(folder, "bot", "bot.mjs"), join(folder, "zuliprc")],
      {},
    );
    await waitFor(
      () => {
        if (!running.running()) throw new Error(running.output());
        return gateway.events.counters.waiting > 0;
      },
      { what: "the bot polls" },
    );
    const ask = (params: object) =>
      gateway.as(org.member).post("/api/v1/messages", { content: "!echo 1 & 2", ...params });
    const answers = async (count: number) =>
      waitFor(
        async () => {
          const rows = await db.rows<{ content: string; recipient_id: number }>(
            "SELECT content, recipient_id FROM messages WHERE sender_id = $1 ORDER BY id",
            [account.id],
          );
          return rows.length >= count && rows;
        },
        { what: "the bot answers" },
      );
    await ask({ type: "channel", to: room.id, topic: "bots" });
    expect(await answers(1)).to.deep.equal([{ content: "1 & 2", recipient_id: room.recipientId }]);
    await ask({ type: "direct", to: [account.id] });
    expect((await answers(2)).map(({ content }) => content)).to.deep.equal(["1 & 2", "1 & 2"]);
  });

  it("is small in browsers, and imports nothing of Node there", async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "@carillon/client"', resolveDir: folder },
      bundle: true,
      format: "esm",
      platform: "browser",
      minify: true,
      write: false,
    });
    const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
    expect(Buffer.from(contents).toString()).not.to.match(
      /node:|\bprocess\.|\bBuffer\b|\bimport\(/,
    );
    expect(brotliCompressSync(contents).length).to.be.within(1_000, 10_240);
    expect(gzipSync(contents).length).to.be.at.most(10_240);
  });
});
