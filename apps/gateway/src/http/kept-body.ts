import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";
import type { Context } from "koa";
import type { RawAnswer, RawBody } from "./handler.ts";
import { namesTag } from "./entity-tag.ts";

const compress = promisify(gzip);

/** The body of a constant answer: stored compressed, and not sent to clients that have it already. */
export class KeptBody implements RawBody {
  readonly #type: string;
  readonly #zipped: Buffer;
  readonly #tag: string;

  private constructor(type: string, zipped: Buffer, tag: string) {
    this.#type = type;
    this.#zipped = zipped;
    this.#tag = tag;
  }

  /** @param type its media type */
  static async of(type: string, body: string | Buffer): Promise<KeptBody> {
    const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
    return new KeptBody(type, await compress(body, { level: 9 }), `W/"${digest}"`);
  }

  /** Makes the answer to a request: 304 if the client has it, and compressed if the client accepts that. */
  answerTo(ctx: Context, headers: Readonly<Record<string, string>> = {}): RawAnswer {
    const always = {
      ETag: this.#tag,
      "Cache-Control": "no-cache",
      Vary: "Accept-Encoding",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    };
    if (namesTag(ctx.get("If-None-Match"), this.#tag))
      return { status: 304, headers: always, body: "" };
    const typed = { ...always, "Content-Type": this.#type };
    // Of two equally accepted encodings the first counts.
    if (ctx.acceptsEncodings("gzip", "identity") === "gzip" && ctx.get("Accept-Encoding") !== "")
      return {
        status: 200,
        headers: { ...typed, "Content-Encoding": "gzip" },
        body: this.#zipped,
      };
    const whole = createGunzip();
    whole.end(this.#zipped);
    return { status: 200, headers: typed, body: whole };
  }
}
