import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

// The minimal cost of files: POST writes the body to a file, syncs and renames it; GET streams the file of its path. No
// credentials, no multipart, no hash, no database.
const folder = process.env["FILES_DIR"]!;

const server = createServer((request, response) => {
  const { method, url = "" } = request;
  if (method === "POST") {
    store(request).then(
      () => response.end("{}"),
      (error: unknown) => response.destroy(error as Error),
    );
    return;
  }
  const path = join(folder, url);
  stat(path).then(
    ({ size }) => {
      response.setHeader("content-length", size);
      createReadStream(path).pipe(response);
    },
    (error: unknown) => response.destroy(error as Error),
  );
});
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

async function store(request: IncomingMessage): Promise<void> {
  const path = join(folder, randomBytes(12).toString("hex"));
  const temporary = `${path}.tmp`;
  await pipeline(request, createWriteStream(temporary));
  const handle = await open(temporary, "r");
  await handle.sync();
  await handle.close();
  await rename(temporary, path);
}
