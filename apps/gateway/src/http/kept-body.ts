import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";
import type { Readable } from "node:stream";
import type { Context } from "koa";

const compress = promisify(gzip);

/** An answer, ready to be sent. */
interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable;
}

/** The body of a constant answer: stored compressed, and not sent to clients that have it already. */
export class KeptBody {
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
  answerTo(ctx: Context, headers: Readonly<Record<string, string>> = {}): Outgoing {
    const always = {
      ETag: this.#tag,
      "Cache-Control": "no-cache",
      Vary: "Accept-Encoding",
      "X-Content-Type-Options": "nosniff",
      ...headers,
    };
    if (names(ctx.get("If-None-Match"), this.#tag))
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

/** Whether the header names the tag, by weak comparison (RFC 9110 §13.1.2). */
function names(header: string, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return header.split(",").some((one) => one.trim() === "*" || opaque(one) === opaque(tag));
}
