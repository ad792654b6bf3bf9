import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// Answers immediately. The time that an answer takes shows how busy the machine is, apart from the server under test.
const server = createServer((_request, response) => response.end("{}"));
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
