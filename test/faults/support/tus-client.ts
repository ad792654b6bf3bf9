import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";
import type { Database } from "@carillon/db";
import {
  authorization,
  clientOf,
  type Answer,
  type Gateway,
  type TestAccount,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

const bytesType = "application/offset+octet-stream";

type Server = Pick<Gateway, "url">;

/** A request whose body the test sends piece by piece, and the answer so far. */
export interface OpenPatch {
  text: string;
  readonly socket: Socket;
}

/** Uploads one content with the tus protocol, request by request, to any gateway. */
export class TusClient {
  readonly #db: Database;
  readonly #content: Buffer;
  readonly #account: () => TestAccount;
  readonly #sockets = new Set<Socket>();

  /** @param account called with each request, so that it may be created later */
  constructor(db: Database, content: Buffer, account: () => TestAccount) {
    this.#db = db;
    this.#content = content;
    this.#account = account;
  }

  /** Closes the connections of {@link beginPatch}. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  send(
    to: Server,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Buffer,
  ): Promise<Answer> {
    return clientOf(to.url, this.#credentials()).send(method, path, {
      headers: { "Tus-Resumable": "1.0.0", ...headers },
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
    });
  }

  /** Begins an upload, and returns its path. */
  async begin(to: Server): Promise<string> {
    const size = { "Upload-Length": `${this.#content.length}` };
    const { headers } = await this.send(to, "POST", "/api/v1/tus", size);
    return new URL(headers.get("Location") ?? "").pathname;
  }

  /** Sends the bytes between two positions in one request. */
  patch(to: Server, path: string, from: number, until = this.#content.length): Promise<Answer> {
    const headers = { "Content-Type": bytesType, "Upload-Offset": `${from}` };
    return this.send(to, "PATCH", path, headers, this.#content.subarray(from, until));
  }

  /** Returns the offset that HEAD answers. */
  async offsetOf(at: Server, path: string): Promise<number> {
    return Number((await this.send(at, "HEAD", path, {})).headers.get("Upload-Offset"));
  }

  /** Begins a PATCH of all bytes from a position on, and sends those up to another one. */
  beginPatch(to: Server, path: string, from: number, until: number): OpenPatch {
    const socket = connect(Number(new URL(to.url).port), "127.0.0.1");
    this.#sockets.add(socket);
    const seen = { text: "", socket };
    socket.on("data", (chunk: Buffer) => (seen.text += chunk.toString())).on("error", () => {});
    const { Authorization } = authorization(this.#credentials()) as { Authorization: string };
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${Authorization}\r\nTus-Resumable: 1.0.0\r\n` +
        `Content-Type: ${bytesType}\r\nUpload-Offset: ${from}\r\n` +
        `Content-Length: ${this.#content.length - from}\r\n\r\n`,
    );
    socket.write(this.#content.subarray(from, until));
    return seen;
  }

  /** Waits until a request holds the lease of the upload. */
  async leased(path: string): Promise<void> {
    await waitFor(async () => (await this.#leaseOf(path)) !== null, {
      what: "a request holds the lease",
    });
  }

  /** Waits until no request holds the lease of the upload. */
  async released(path: string): Promise<void> {
    await waitFor(async () => (await this.#leaseOf(path)) === null, {
      what: "no request holds the lease",
    });
  }

  /** Sends the rest, and compares the file with what was sent. */
  async finish(to: Server, path: string): Promise<void> {
    const { status, body, text } = await this.patch(to, path, await this.offsetOf(to, path));
    expect(status, text).to.equal(200);
    await this.expectFile(to, String(body["url"]));
  }

  /** Compares a file with the content. */
  async expectFile(at: Server, url: string): Promise<void> {
    const answer = await fetch(at.url + url, { headers: authorization(this.#credentials()) });
    expect(answer.status).to.equal(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(hashOf(bytes)).to.equal(hashOf(this.#content));
  }

  #credentials() {
    const { deliveryEmail: email, apiKey } = this.#account();
    return { email, apiKey };
  }

  async #leaseOf(path: string): Promise<string | null> {
    const id = path.split("/").at(-1) ?? "";
    return (await this.#db.prisma.resumableUpload.findUniqueOrThrow({ where: { id } })).leaseId;
  }
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
