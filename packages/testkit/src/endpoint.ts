import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

import {
  addressRules,
  outgoingClient,
  parseNetworks,
  type AddressRules,
  type OutgoingClient,
} from "@carillon/outgoing";

import { certificate } from "./certificate.ts";
import { later } from "./later.ts";

/** A request that an endpoint has received. */
export interface EndpointCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
}

/** What an endpoint answers: a text with status 200, or what the function does with the response. */
export type EndpointAnswer = (
  call: EndpointCall,
  response: ServerResponse,
  request: IncomingMessage,
) => string | object | void | Promise<string | object | void>;

/** An endpoint for tests: real HTTP on this machine. */
export interface Endpoint {
  readonly url: string;
  /** All requests that arrived, oldest first. */
  readonly calls: readonly EndpointCall[];
  /** Replaces the answer; `{}` unless given. An object is sent as JSON. */
  answer(answer: EndpointAnswer): void;
  /** Replaces the answer by one with this status, and the text `no`. */
  answerWithStatus(status: number, headers?: Readonly<Record<string, string>>): void;
  /**
   * Holds the answers to the first calls until the returned function is called.
   * @param count how many; all calls until then unless given
   */
  holdAnswers(answer?: EndpointAnswer, count?: number): () => void;
  /** Clears the requests, and answers `{}`. */
  reset(): void;
  close(): Promise<void>;
}

/** Rules that allow this machine, where tests have their endpoints. */
export const testRules: AddressRules = addressRules(parseNetworks("127.0.0.0/8"));

/** Milliseconds that a call may take in tests. */
const timeoutMs = 10_000;

let client: OutgoingClient | undefined;

/** The client of endpoints that test workers share; it connects at its first call. */
export function testOutgoing(): { readonly client: OutgoingClient; readonly timeoutMs: number } {
  client ??= outgoingClient({ rules: testRules, timeoutMs });
  return { client, timeoutMs };
}

/**
 * Starts an endpoint.
 * @param options `tls`: with the test certificate, which is valid for 127.0.0.1 and not for other addresses
 */
export async function startEndpoint({
  tls = false,
  host = "127.0.0.1",
}: { readonly tls?: boolean; readonly host?: string } = {}): Promise<Endpoint> {
  const calls: EndpointCall[] = [];
  const nothing: EndpointAnswer = () => ({});
  let answer = nothing;
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void handle(request, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(certificate, listener) : createServer(listener);
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const call = { path: request.url ?? "", headers, body: Buffer.concat(chunks).toString(), at };
    calls.push(call);
    const said = await answer(call, response, request);
    if (said === undefined || response.destroyed || response.headersSent) return;
    response.setHeader("content-type", "application/json");
    response.end(typeof said === "string" ? said : JSON.stringify(said));
  }
  server.listen(0, host);
  await once(server, "listening");
  return {
    url: `${tls ? "https" : "http"}://${host}:${(server.address() as AddressInfo).port}/hook`,
    calls,
    answer: (given) => void (answer = given),
    answerWithStatus(status, given) {
      answer = (_call, response) => void response.writeHead(status, given).end("no");
    },
    holdAnswers(given = nothing, count = Number.POSITIVE_INFINITY) {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      answer = async (...request) => {
        if (calls.length <= count) await released;
        return given(...request);
      };
      return release;
    },
    reset() {
      calls.length = 0;
      answer = nothing;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the URL of an endpoint that is already closed. */
export async function closedEndpoint(): Promise<string> {
  const closed = await startEndpoint();
  await closed.close();
  return closed.url;
}

/** An endpoint for the tests of the enclosing `describe`, reset before each. */
export function useEndpoint(): Endpoint {
  const { value, set } = later<Endpoint>("the endpoint");
  let endpoint: Endpoint | undefined;
  before("start an endpoint", async () => {
    endpoint = await startEndpoint();
    set(endpoint);
  });
  beforeEach(() => endpoint?.reset());
  after("stop the endpoint", async () => {
    set(undefined);
    await endpoint?.close();
  });
  return value;
}
