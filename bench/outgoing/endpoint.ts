import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// An endpoint of outgoing webhook bots, in a process of its own. `/answer` answers at once, `/hang` never, and `/endless` with
// 1 GiB.
const chunk = Buffer.alloc(65_536, "a");

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    if (request.url === "/hang") return;
    if (request.url === "/answer") {
      response.writeHead(200, { "content-type": "application/json" }).end('{"content": "Done."}');
      return;
    }
    let left = 2 ** 30;
    response.writeHead(200, { "content-length": left });
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on("drain", more);
    more();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}.`);
});
