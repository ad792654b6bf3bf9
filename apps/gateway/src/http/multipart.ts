import { Transform } from "node:stream";
import { errors } from "@carillon/contract";
import type { Context } from "koa";
import { koaBody, type ExtendedFormidableOptions } from "koa-body";
import { nothing, only } from "./body.ts";
import type { Fields } from "./fields.ts";

type Part = Parameters<NonNullable<ExtendedFormidableOptions["onPart"]>>[0];

/**
 * Adds the text parts of a multipart body to the fields, and notes the names of its file parts.
 * The parts are taken here, not by the parser's own handling: that writes files to the disk, takes a text part
 * with a content type for a file, and an unusual transfer encoding ends in an unhandled rejection.
 */
export async function readMultipart(ctx: Context, fields: Fields, limit: number): Promise<void> {
  const stream = limited(ctx, limit);
  const onPart = (part: Part) => {
    try {
      fields.admitPart();
    } catch (error) {
      stream.destroy(error as Error);
      return;
    }
    takePart(part, fields);
  };
  // Seen by the parser in place of the request: the same, with a stream that ends at the limit.
  const view: Context = Object.create(ctx, { req: { value: stream } });
  await koaBody({ ...only("multipart"), formidable: { onPart } })(view, nothing);
}

function takePart(part: Part, fields: Fields): void {
  const { name } = part;
  if (!name) return;
  if (part.originalFilename !== null) {
    fields.files.add(name);
    return;
  }
  const chunks: Buffer[] = [];
  part.on("data", (chunk: Buffer) => chunks.push(chunk));
  part.on("end", () => fields.texts.set(name, Buffer.concat(chunks).toString("utf8")));
}

/** The request's bytes and headers; fails beyond `limit` bytes, also when no length was announced. */
function limited(ctx: Context, limit: number): Transform {
  const { req } = ctx;
  let received = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      done(received > limit ? errors.requestTooLarge(limit) : null, chunk);
    },
  });
  const hungUp = () => stream.destroy(errors.badRequest("The body ended too early"));
  req.once("aborted", hungUp).once("error", hungUp);
  // Without a listener the stream's failure would end the process once the parser has let go of it.
  stream.on("error", () => req.unpipe(stream));
  return Object.assign(req.pipe(stream), { headers: req.headers });
}
