import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";
import type { Context } from "koa";
import type { Coding } from "./compression.ts";
import type { RawAnswer, RawBody } from "./handler.ts";
import { namesTag } from "./entity-tag.ts";

const compress = promisify(gzip);

/** The forms in which a body is stored: as it is, compressed, or both. */
export interface StoredForms {
  readonly identity?: Buffer | undefined;
  readonly br?: Buffer | undefined;
  readonly gzip?: Buffer | undefined;
}

/** Codings from the smallest result to the largest. */
const codings: readonly Coding[] = ["br", "gzip"];

/** The body of a constant answer: stored compressed, and not sent to clients that have it already. */
export class KeptBody implements RawBody {
  readonly #type: string;
  readonly #forms: StoredForms;
  readonly #tag: string;

  /**
   * @param type its media type
   * @param forms the body as it is, or compressed by gzip, or both; and compressed by Brotli, if that is at hand
   * @param tag its entity tag, weak because it is the same for all forms
   */
  constructor(type: string, forms: StoredForms, tag: string) {
    this.#type = type;
    this.#forms = forms;
    this.#tag = tag;
  }

  /**
   * Compresses a body once by gzip, for all its answers.
   * @param type its media type
   */
  static async of(type: string, body: string | Buffer): Promise<KeptBody> {
    const zipped = await compress(body, { level: 9 });
    return new KeptBody(type, { gzip: zipped }, weakTag(body));
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
    for (const coding of codings) {
      const body = this.#forms[coding];
      if (body && accepts(ctx, coding))
        return { status: 200, headers: { ...typed, "Content-Encoding": coding }, body };
    }
    return { status: 200, headers: typed, body: this.#forms.identity ?? this.#decompressed() };
  }

  #decompressed() {
    const whole = createGunzip();
    whole.end(this.#forms.gzip);
    return whole;
  }
}

/** Makes an entity tag of a body. */
export function weakTag(body: string | Buffer): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Whether the client accepts the coding, and does not prefer the body as it is. */
function accepts(ctx: Context, coding: Coding): boolean {
  // The first of two equally accepted encodings is used.
  return ctx.get("Accept-Encoding") !== "" && ctx.acceptsEncodings(coding, "identity") === coding;
}
