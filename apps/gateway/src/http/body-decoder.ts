import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform } from "node:stream";

/**
 * Handles errors and the end of the stream with which koa-body decompresses a body. koa-body drops the stream when it
 * refuses the body, but the stream may still fail, and an unhandled error ends the process; nor does the stream end
 * when a client hangs up. Also normalizes `Content-Encoding` to the names that koa-body knows.
 */
export function guardDecompression(req: IncomingMessage, res: ServerResponse): void {
  const encoding = req.headers["content-encoding"];
  if (encoding === undefined) return;
  req.headers["content-encoding"] = encoding
    .trim()
    .toLowerCase()
    .replace(/^x-(?=gzip$)/, "");
  const pipe = req.pipe.bind(req);
  req.pipe = <Decoder extends NodeJS.WritableStream>(decoder: Decoder, options?: object) => {
    decoder.on("error", () => {});
    if (decoder instanceof Transform) res.once("close", () => decoder.destroy());
    return pipe(decoder, options);
  };
}
