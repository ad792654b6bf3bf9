import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TestAccount } from "@carillon/testkit";
import { Client, type ClientOptions } from "../index.ts";

/** A client of an account of testkit. */
export function clientFor(
  site: string,
  account: TestAccount,
  options: Partial<ClientOptions> = {},
): Client {
  return new Client({ site, email: account.deliveryEmail, apiKey: account.apiKey, ...options });
}

/** A server with answers that the real one never gives. */
export interface Stub {
  readonly url: string;
  /** The requests so far: `POST /api/v1/messages`. */
  readonly requests: string[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Starts a stub for the tests of the enclosing `describe`. */
export function useStub(): Stub {
  const stub = { url: "", requests: [] as string[], answer: (() => {}) as Stub["answer"] };
  let server: Server | undefined;
  before("start a stub", async () => {
    server = createServer((request, response) => {
      stub.requests.push(`${request.method} ${request.url}`);
      stub.answer(request, response);
    });
    stub.url = await listen(server);
  });
  beforeEach(() => void (stub.requests.length = 0));
  after("stop the stub", () => close(server));
  return stub;
}

/** A proxy that loses answers: the request has been carried out, and the client does not learn it. */
export interface LossyProxy {
  readonly url: string;
  /** What came from clients. */
  readonly seen: {
    readonly path: string;
    readonly key: string | undefined;
    readonly body: string;
  }[];
  /** Loses the answers to the next requests whose path begins so. */
  lose(path: string, count: number): void;
  close(): Promise<void>;
}

/** @param target address of the gateway */
export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const seen: LossyProxy["seen"] = [];
  const losses = new Map<string, number>();
  const server = createServer((request, response) => void forward(request, response));
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = "", method = "GET", headers } = request;
    const body = await buffer(request);
    seen.push({
      path: `${method} ${url}`,
      key: headers["idempotency-key"] as string | undefined,
      body: body.toString(),
    });
    const answer = await fetch(target + url, {
      method,
      headers: {
        Authorization: headers.authorization ?? "",
        "Content-Type": headers["content-type"] ?? "",
        ...(headers["idempotency-key"] && {
          "Idempotency-Key": String(headers["idempotency-key"]),
        }),
      },
      body: body.length > 0 ? body : null,
    });
    const text = await answer.text();
    for (const [path, left] of losses)
      if (url.startsWith(path) && left > 0) {
        losses.set(path, left - 1);
        request.socket.destroy();
        return;
      }
    response.writeHead(answer.status, { "Content-Type": "application/json" }).end(text);
  };
  const url = await listen(server);
  return {
    url,
    seen,
    lose: (path, count) => void losses.set(path, count),
    close: () => close(server),
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server | undefined): Promise<void> {
  server?.closeAllConnections();
  server?.close();
  await Promise.resolve();
}
