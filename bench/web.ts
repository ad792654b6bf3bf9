import { readFile, stat } from "node:fs/promises";
import { subscribe } from "@carillon/model";
import { channelsLike, crowd } from "@carillon/testkit";
import { fillPast } from "./lib/past.ts";
import { report, type Row, say } from "./lib/report.ts";
import { createBenchDatabase } from "./lib/servers.ts";
import { startGateway } from "./lib/system.ts";
import { createWorld } from "./lib/world.ts";
import { startBrowser } from "./web/browser.ts";
import { measureCrowd } from "./web/crowd.ts";
import { measureLoading } from "./web/loading.ts";
import { measureIdle, measureScrolling } from "./web/scrolling.ts";
import { measureSending } from "./web/sending.ts";

// Measures the browser client in Chromium: what it loads, how long it takes to show and to send messages, what scrolling
// and idling cost. `npm run bench -- web brief` takes fewer rounds.
const isBrief = process.argv.includes("brief");
const scrolled = 20_000;
const assets = new URL("../apps/web/dist/assets/", import.meta.url);

const rows: Row[] = [await measureSize()];
const database = await createBenchDatabase("postgres");
const world = await createWorld(database.db, 200, 5);
const [sender, reader] = world.channels[0]!.members as [
  (typeof world.members)[0],
  (typeof world.members)[0],
];
await database.db.transaction((tx) =>
  subscribe(
    tx,
    world.channels.slice(1).map(({ id }) => ({ channelId: id })),
    [reader.id],
  ),
);
const [room, ...others] = world.channels;
await fillPast(database.db, { ...world, channels: others }, 4_000, 3);
await fillPast(database.db, { ...world, channels: [room!] }, scrolled, 2);
const [oldest] = await database.db.rows<{ id: number }>(
  "SELECT first_message_id AS id FROM channels WHERE id = $1",
  [room!.id],
);
await database.db.rows("VACUUM ANALYZE");
const gateway = await startGateway(database);
const site = `http://127.0.0.1:${gateway.port}`;
const browser = await startBrowser();
say("the organization is there");

rows.push(await measureLoading(browser, site, reader, isBrief ? 3 : 15));
say("loading is measured");
rows.push(
  await measureSending(browser, site, { sender, reader, channel: room! }, isBrief ? 20 : 200),
);
say("sending is measured");
const channel = { channel: room!, first: oldest!.id, count: scrolled };
rows.push(...(await measureScrolling(browser, site, reader, channel)));
say("scrolling is measured");
rows.push(await measureIdle(browser, site, reader));
await crowd(database.db, sender, 10_000 - world.members.length);
await channelsLike(database.db, room!, 2_000 - world.channels.length);
await subscribeToAll(reader);
rows.push(await measureCrowd(browser, site, { sender, reader, channel: room! }));

await browser.close();
await gateway.stop();
await database.drop();
await report("web", rows);
process.exit(0);

/** Subscribes a member to all channels. Without events, which only open tabs would need. */
async function subscribeToAll({ id }: { readonly id: number }): Promise<void> {
  await database.db.rows(
    `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object('channel_id', c.id))).*
     FROM subscriptions s, channels c
     WHERE s.user_id = $1 AND s.channel_id = $2 AND c.name LIKE 'many%'`,
    [id, room!.id],
  );
}

/** Adds up the scripts and styles of the build, as compressed by Brotli, without KaTeX's stylesheet. */
async function measureSize(): Promise<Row> {
  const limit = 130_000;
  const names = JSON.parse(await readFile(new URL("files.json", assets), "utf8")) as string[];
  const parts = names.filter((name) => /\.(js|css)$/.test(name) && !/katex/i.test(name));
  const sizeOf = async (end: string) => {
    const sizes = parts.map(async (name) => {
      const compressed = await stat(new URL(`${name}${end}`, assets)).catch(() => undefined);
      return (compressed ?? (await stat(new URL(name, assets)))).size;
    });
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  };
  const [br, gz, plain] = [await sizeOf(".br"), await sizeOf(".gz"), await sizeOf("")];
  return {
    question: `bytes of scripts and styles, compressed by Brotli, without KaTeX, ${parts.length} files`,
    value: `${br} (gzip ${gz}, uncompressed ${plain})`,
    target: `at most ${limit}`,
    holds: br <= limit,
  };
}
