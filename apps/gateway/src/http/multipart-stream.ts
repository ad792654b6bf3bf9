import { StringDecoder } from "node:string_decoder";
import type { FieldSink, FieldValue, FileBytes } from "./field-sink.ts";
import {
  afterDelimiter,
  boundaryOf,
  broken,
  maxPadding,
  maxPartHead,
  partOf,
} from "./multipart.ts";

const headEnd = Buffer.from("\r\n\r\n");

/** Bytes of a chunk that is not copied: more than a delimiter has. */
const minUncopied = 4 * 1024;

/** Decodes a multipart form as a stream, like {@link addMultipart}, for values that are too long for memory. */
export class MultipartStream {
  readonly #sink: FieldSink;
  readonly #delimiter: Buffer;
  /**
   * Bytes that have arrived and are not decoded. The first delimiter may be at the very beginning, without a line end
   * before it.
   */
  #rest: Buffer = Buffer.from("\r\n");
  #in: "data" | "head" | "nothing" = "data";
  /** Bytes of the rest that belong to the head before it; they may also be the line end of the next delimiter. */
  #ofHead = 2;
  #decoder = new StringDecoder("utf8");
  #value: FieldValue | undefined;
  #file: FileBytes | undefined;
  #isEmpty = true;

  /**
   * @param contentType the request's header, which names the boundary
   * @throws ApiError `BAD_REQUEST` if it names none
   */
  constructor(sink: FieldSink, contentType: string) {
    this.#sink = sink;
    this.#delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`);
  }

  /**
   * Decodes the next bytes of the form, and passes fields and files to the sink.
   * @throws ApiError `BAD_REQUEST` for broken headers of a part; any of the sink
   */
  write(chunk: Buffer): void {
    if (this.#in === "nothing") return;
    this.#isEmpty &&= chunk.length === 0;
    this.#append(chunk);
    while (this.#in === "head" ? this.#endsHead() : this.#in === "data" && this.#endsData());
  }

  /** Adds a chunk to the rest. Copies large chunks only if a delimiter may begin before them. */
  #append(chunk: Buffer): void {
    const rest = this.#rest;
    const length = this.#delimiter.length;
    if (this.#in === "data" && this.#ofHead === 0 && chunk.length >= minUncopied) {
      const at = Buffer.concat([rest, chunk.subarray(0, length)]).indexOf(this.#delimiter);
      if (at < 0 || at >= rest.length) {
        this.#take(rest.length);
        this.#rest = chunk;
        return;
      }
    }
    this.#rest = Buffer.concat([rest, chunk]);
  }

  /** Throws ApiError `BAD_REQUEST` if the form is not complete. */
  end(): void {
    if (this.#in !== "nothing" && !this.#isEmpty) throw broken("has no end");
  }

  /** Consumes data up to the next delimiter, or as far as it is certain to be data; true when the part has ended. */
  #endsData(): boolean {
    for (let from = 0; ;) {
      const at = this.#rest.indexOf(this.#delimiter, from);
      if (at < 0) {
        // The rest may be the beginning of a delimiter.
        this.#take(Math.max(from, this.#rest.length - this.#delimiter.length + 1));
        return false;
      }
      const after = afterDelimiter(this.#rest, at + this.#delimiter.length);
      if (after !== undefined) {
        this.#take(at);
        this.#endPart();
        if (after === "end") this.#in = "nothing";
        else this.#beginHead(after - at);
        return true;
      }
      if (!this.#isUndecided(at + this.#delimiter.length)) from = at + 1;
      else {
        this.#take(at);
        return false;
      }
    }
  }

  /** Returns whether more bytes are needed to decide if this is a delimiter. */
  #isUndecided(after: number): boolean {
    const following = this.#rest.toString("latin1", after, after + maxPadding);
    return following.length < maxPadding && /^(-|[ \t]*\r?)$/.test(following);
  }

  /** Passes the first bytes of the rest on as data. */
  #take(count: number): void {
    const data = this.#rest.subarray(Math.min(this.#ofHead, count), count);
    this.#ofHead = Math.max(0, this.#ofHead - count);
    if (data.length > 0) {
      this.#value?.write(this.#decoder.write(data));
      this.#file?.write(data);
    }
    this.#rest = this.#rest.subarray(count);
  }

  /**
   * Begins a part after its delimiter.
   * @param bytes length of the delimiter
   */
  #beginHead(bytes: number): void {
    this.#sink.admit();
    // A part without headers begins with the empty line.
    this.#rest = this.#rest.subarray(bytes - 2);
    this.#in = "head";
  }

  #endsHead(): boolean {
    const end = this.#rest.subarray(0, maxPartHead + headEnd.length).indexOf(headEnd);
    if (end < 0 && this.#rest.length < maxPartHead + headEnd.length) return false;
    if (end < 0) throw broken("has a part without valid headers");
    const part = partOf(this.#rest.toString("utf8", 2, end));
    if (part?.file) this.#file = this.#sink.file(part.file);
    else if (part) this.#value = this.#sink.field(part.name);
    this.#rest = this.#rest.subarray(end + headEnd.length - 2);
    this.#ofHead = 2;
    this.#in = "data";
    return true;
  }

  #endPart(): void {
    this.#value?.write(this.#decoder.end());
    this.#value?.end();
    this.#value = undefined;
    this.#file?.end();
    this.#file = undefined;
    this.#decoder = new StringDecoder("utf8");
  }
}
