import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// The minimal cost of long polls. Holds each response open until a text is posted, and then ends all with this text.
const held = new Set<ServerResponse>();

const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.method === "GET") {
    held.add(response);
    response.on("close", () => held.delete(response));
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    response.end("{}");
    for (const one of held) one.end(text);
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
