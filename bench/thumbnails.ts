import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { report, say, type Row } from "./lib/report.ts";
import { credentials, formRequest } from "./lib/requests.ts";
import { backends, type BackendName, createBenchDatabase } from "./lib/servers.ts";
import { startGateway, startWorker } from "./lib/system.ts";
import { createWorld, type Member } from "./lib/world.ts";

// Measures how long after the answer of an upload the thumbnail of a 12-megapixel JPEG is in a message.
const uploads = 8;

const photo = await sharp({
  create: {
    width: 4_000,
    height: 3_000,
    channels: 3,
    noise: { type: "gaussian", mean: 128, sigma: 30 },
    background: "grey",
  },
})
  .blur(1.5)
  .jpeg({ quality: 90 })
  .toBuffer();
say(`the JPEG has ${(photo.length / 2 ** 20).toFixed(1)} MiB`);
const rows: Row[] = [];
for (const backend of backends) rows.push(await measure(backend));
await report("thumbnails", rows);
process.exit(0);

async function measure(backend: BackendName): Promise<Row> {
  const database = await createBenchDatabase(backend);
  const world = await createWorld(database.db, 1, 2);
  const [member] = world.members as [Member];
  const folder = await mkdtemp(join(tmpdir(), "carillon-bench-thumbnails-"));
  const files = { FILES_DIR: folder };
  const worker = await startWorker(database, [], files);
  const gateway = await startGateway(database, [], files);
  const base = `http://127.0.0.1:${gateway.port}`;
  const headers = { authorization: credentials(member) };
  const taken: number[] = [];
  for (let round = 0; round < uploads; round++) {
    const body = new FormData();
    body.set("file", new Blob([new Uint8Array(photo)], { type: "image/jpeg" }), "photo.jpg");
    const answer = await fetch(`${base}/api/v1/user_uploads`, { method: "POST", headers, body });
    const { url } = (await answer.json()) as { url: string };
    const answeredAt = performance.now();
    const request = formRequest(member, "/api/v1/messages", {
      type: "stream",
      to: String(world.channels[0]!.id),
      topic: "photos",
      content: `[photo.jpg](${url})`,
    });
    const sent = await fetch(base + request.path, request);
    const { id } = (await sent.json()) as { id: number };
    for (;;) {
      const read = await fetch(`${base}/api/v1/messages/${id}`, { headers });
      const { message } = (await read.json()) as { message: { content: string } };
      if (message.content.includes("/user_uploads/thumbnail/")) break;
      await pause(5);
    }
    taken.push((performance.now() - answeredAt) / 1_000);
  }
  const worst = Math.max(...taken);
  say(`${backend}: ${taken.map((seconds) => `${seconds.toFixed(2)} s`).join(", ")}`);
  await gateway.stop();
  await worker.stop();
  await database.drop();
  await rm(folder, { recursive: true });
  return {
    question: `thumbnail of a 12-megapixel JPEG in the message after the upload's answer, idle worker, ${backend} queues`,
    value: `${worst.toFixed(2)} s, the worst of ${uploads}`,
    target: "within 2 s",
    holds: worst <= 2,
  };
}
