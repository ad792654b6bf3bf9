import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { expect } from "chai";

import { boundedFetch } from "./bounded-fetch.ts";
import { ProviderUnavailable } from "./provider-errors.ts";

const maxBytes = 256 * 1024;

describe("boundedFetch", () => {
  let answer: RequestListener = () => {};
  const server = createServer((request, response) => answer(request, response));
  before(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const ask = () => {
    const { port } = server.address() as AddressInfo;
    const headers = { Connection: "close" };
    return boundedFetch(`http://127.0.0.1:${port}`, { headers }, new AbortController().signal).then(
      async (response) => (await response.arrayBuffer()).byteLength,
      (error: unknown) => error,
    );
  };

  it("returns answers of 256 KiB and refuses one byte more", async () => {
    answer = (_, response) => response.end(Buffer.alloc(maxBytes));
    expect(await ask()).to.equal(maxBytes);
    answer = (_, response) => response.end(Buffer.alloc(maxBytes + 1));
    expect(await ask()).to.be.instanceOf(ProviderUnavailable);
  });

  it("counts the bytes after decompression", async () => {
    const compressed = (bytes: number) => {
      const body = gzipSync(Buffer.alloc(bytes));
      answer = (_, response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(body);
    };
    compressed(maxBytes);
    expect(await ask()).to.equal(maxBytes);
    compressed(maxBytes + 1);
    expect(await ask()).to.be.instanceOf(ProviderUnavailable);
  });

  it("returns other statuses, but for those of an overloaded or broken provider", async () => {
    for (const [status, isUnavailable] of [
      [200, false],
      [302, false],
      [428, false],
      [429, true],
      [430, false],
      [499, false],
      [500, true],
      [503, true],
    ] as const) {
      answer = (_, response) => response.writeHead(status).end("x");
      expect((await ask()) instanceof ProviderUnavailable, `${status}`).to.equal(isUnavailable);
    }
  });
});
