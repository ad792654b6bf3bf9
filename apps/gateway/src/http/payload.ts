import { errors } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { Context } from "koa";
import { largeFormSemaphore } from "./account-semaphore.ts";
import type { Credentials } from "./actor.ts";
import { admitBody, type Sender } from "./arriving-body.ts";
import { formType, multipartType } from "./body.ts";
import { readCredentials } from "./credentials.ts";
import { Fields } from "./fields.ts";
import { addMultipart } from "./multipart.ts";
import { keyOfAddress } from "./key-of-address.ts";
import { readChunks } from "./streamed-body.ts";

/** Bodies of this many bytes wait for a semaphore. */
const largePayload = 64 * 1024;

/** The body of an operation that takes a payload. */
export interface PayloadBody {
  /** `form` if the payload is in a field of a form, which was decoded with the parameters. */
  readonly kind: "form" | "text" | "other";
  /** As received, decompressed; empty for a form. */
  readonly bytes: Buffer;
}

/** A request whose body is the payload of another program (bot-platform.md §1.1). */
export class PayloadRequest {
  /** The parameters: those of the query, and with a form those of the body. */
  readonly fields = new Fields();
  readonly #ctx: Context;
  readonly #deadline: RequestDeadline;
  readonly #kind: PayloadBody["kind"];
  #bytes: Buffer | undefined;
  #hasForm = false;

  constructor(ctx: Context, deadline: RequestDeadline) {
    this.#ctx = ctx;
    this.#deadline = deadline;
    this.#kind = ctx.is(formType, multipartType) ? "form" : ctx.is("text/plain") ? "text" : "other";
  }

  /** The body, once it has been read. */
  get body(): PayloadBody {
    return { kind: this.#kind, bytes: this.#bytes ?? Buffer.alloc(0) };
  }

  /**
   * Returns the key of the query or of a form, else the credentials of HTTP Basic. Only a form that has to be searched for a
   * key is read before its sender is known.
   * @throws ApiError `REQUEST_VARIABLE_MISSING` without either; `UNAUTHORIZED` for a malformed header
   */
  async credentials({ ip, limit, bodyIdleMs, admit }: EarlyRead): Promise<Credentials> {
    const { querystring, req } = this.#ctx;
    if (querystring !== "") await this.fields.addForm(Buffer.from(querystring));
    const { authorization } = req.headers;
    if (!this.fields.texts.has("api_key") && authorization !== undefined)
      return readCredentials(authorization);
    if (!this.fields.texts.has("api_key") && this.#kind === "form") {
      await admit();
      const accountId = keyOfAddress(ip);
      await this.#readBytes(limit, { accountId, deadline: this.#deadline, idleMs: bodyIdleMs });
      await this.#addForm();
    }
    const apiKey = this.fields.texts.get("api_key");
    if (apiKey === undefined) throw errors.requestVariableMissing("api_key");
    return { email: undefined, apiKey };
  }

  /**
   * Reads the body, unless it has been read, and decodes a form.
   * @param check called with the bytes before they are decoded
   * @throws ApiError 413 over `limit` bytes; 400 for a body that breaks off; 408 for one that stalls; what `check` throws
   */
  async read(limit: number, sender: Sender, check: (bytes: Buffer) => void): Promise<void> {
    if (!this.#bytes) await this.#readBytes(limit, sender);
    check(this.#bytes ?? Buffer.alloc(0));
    if (this.#kind === "form" && !this.#hasForm) await this.#addForm();
  }

  async #readBytes(limit: number, sender: Sender): Promise<void> {
    const { headers } = this.#ctx.req;
    if (Number(headers["content-length"] ?? 0) > limit) throw errors.requestTooLarge(limit);
    await admitBody(this.#ctx, sender, largeFormSemaphore, largePayload);
    const chunks: Buffer[] = [];
    let length = 0;
    await readChunks(this.#ctx, sender.deadline, (chunk) => {
      length += chunk.length;
      if (length > limit) throw errors.requestTooLarge(limit);
      chunks.push(chunk);
      return undefined;
    });
    this.#bytes = Buffer.concat(chunks);
  }

  async #addForm(): Promise<void> {
    this.#hasForm = true;
    // Decoding overwrites the bytes, which the signature is computed from.
    const bytes = Buffer.from(this.#bytes ?? []);
    const type = this.#ctx.req.headers["content-type"] ?? "";
    if (this.#ctx.is(multipartType)) await addMultipart(bytes, type, this.fields);
    else await this.fields.addForm(bytes);
  }
}

interface EarlyRead {
  readonly ip: string;
  /** Bytes. */
  readonly limit: number;
  readonly bodyIdleMs: number;
  /**
   * Counts the request against the limit of its address, because its sender is not known.
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  readonly admit: () => Promise<void>;
}
