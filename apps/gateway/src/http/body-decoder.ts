import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform } from "node:stream";

/**
 * Takes care of the stream that decompresses a body, which koa-body makes, and forgets once it has refused the body:
 * what the stream has at work may still fail, and an error that nobody hears ends the process. Nor does the stream end
 * by itself where a client hangs up. Spells the compression as koa-body knows it.
 */
export function mindDecoder(req: IncomingMessage, res: ServerResponse): void {
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
