import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";

import { newObjectKey } from "../object-key.ts";
import { StorageUnavailable, type FileStore } from "../store.ts";
import { bodyOf, hashIn, mebibyte } from "../test-support/bodies.ts";
import { failureOf } from "../test-support/failure-of.ts";
import { partBuffers } from "./part-buffers.ts";
import { s3Store } from "./s3-store.ts";

/** Each test sets the answers of an HTTP server to those of a broken S3 server, or of a broken proxy before it. */
describe("The file store on S3, with broken answers", () => {
  let server: Server;
  let store: FileStore;
  let answer: (response: ServerResponse, method: string, url: string) => void;

  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      answer(response, request.method ?? "", request.url ?? "");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    store = s3Store(
      {
        bucket: "files",
        endpoint: `http://127.0.0.1:${port}`,
        region: "us-east-1",
        accessKeyId: "key",
        secretAccessKey: "secret",
        forcePathStyle: true,
      },
      // Long enough for a busy machine to get each answer that comes.
      { limitMs: 3_000 },
    );
  });

  after(async () => {
    await store.close();
    server.closeAllConnections();
    server.close();
  });

  const range = { start: 10, end: 19 };

  const reads: [string, (response: ServerResponse) => void, RegExp][] = [
    [
      "closes the connection before the announced length",
      (response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("x".repeat(50), () => response.destroy());
      },
      /^S3_ENDPOINT: the request failed/,
    ],
    [
      "sends half of the announced length and then nothing",
      (response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("x".repeat(50));
      },
      /^S3_ENDPOINT: it sent nothing for 3 s/,
    ],
    [
      "announces no length",
      (response) => {
        response.write("x");
        response.end();
      },
      /^S3_ENDPOINT: its answer has no length/,
    ],
    ["does not answer", () => {}, /^S3_ENDPOINT: no answer within 3 s/],
    [
      "answers with an error that is not S3's XML",
      (response) => response.writeHead(403).end("<html>Who are you?</html>"),
      /\(.+, files at http/,
    ],
  ];
  for (const [name, broken, message] of reads)
    it(`fails to read an object if the server ${name}`, async () => {
      answer = broken;
      const reading = store.get(newObjectKey()).then(({ stream }) => hashIn(stream));
      expect(await failureOf(reading))
        .to.be.instanceOf(StorageUnavailable)
        .with.property("message")
        .that.matches(message);
    });

  const ranges: [string, (response: ServerResponse) => void][] = [
    [
      "the whole object",
      (response) => response.writeHead(200, { "content-length": 100 }).end("x".repeat(100)),
    ],
    [
      "other bytes",
      (response) =>
        response
          .writeHead(206, { "content-length": 10, "content-range": "bytes 0-9/100" })
          .end("x".repeat(10)),
    ],
    [
      "fewer bytes",
      (response) =>
        response
          .writeHead(206, { "content-length": 5, "content-range": "bytes 10-14/100" })
          .end("x".repeat(5)),
    ],
  ];
  for (const [name, broken] of ranges)
    it(`fails to read a range if the server answers with ${name}`, async () => {
      answer = broken;
      expect(await failureOf(store.get(newObjectKey(), { range })))
        .to.be.instanceOf(StorageUnavailable)
        .with.property("message")
        .that.matches(/its answer has other bytes than the requested ones/);
    });

  it("fails to store an object if the completion reports an error with status 200", async () => {
    const requests: string[] = [];
    answer = (response, method, url) => {
      requests.push(`${method} ${url.replace(/^[^?]*\?/, "?")}`);
      if (method === "POST" && url.includes("uploads"))
        response.end(
          "<InitiateMultipartUploadResult><UploadId>U</UploadId></InitiateMultipartUploadResult>",
        );
      else if (method === "PUT") response.setHeader("etag", '"e"').end();
      else if (method === "POST" && url.includes("uploadId"))
        response.end("<Error><Code>InternalError</Code><Message>We are sorry</Message></Error>");
      else response.end();
    };
    const failure = await failureOf(store.put(newObjectKey(), bodyOf(6 * mebibyte).body));
    expect(failure)
      .to.be.instanceOf(StorageUnavailable)
      .and.match(/InternalError/);
    await waitFor(() => requests.includes("DELETE ?uploadId=U&x-id=AbortMultipartUpload"), {
      what: "the upload is aborted",
    });
  });

  it("sends a part again from its buffer after a 503", async () => {
    let parts = 0;
    answer = (response, method, url) => {
      if (method === "POST" && url.includes("uploads"))
        response.end(
          "<InitiateMultipartUploadResult><UploadId>U</UploadId></InitiateMultipartUploadResult>",
        );
      else if (method === "PUT" && ++parts === 1) response.writeHead(503).end();
      else if (method === "PUT") response.setHeader("etag", '"e"').end();
      else
        response.end(
          "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>",
        );
    };
    const { body, sha256 } = bodyOf(6 * mebibyte);
    expect(await store.put(newObjectKey(), body)).to.deep.equal({ size: 6 * mebibyte, sha256 });
    expect(parts).to.equal(3);
    expect(partBuffers.held).to.equal(0);
  });
});
