import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { TestAccount } from "@carillon/testkit";

/** One request as an attacker sends it. */
export interface RawAttack {
  readonly method?: string;
  /** Path and query below `/api/v1`. */
  readonly path: string;
  readonly account?: TestAccount;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes after the head; may be shorter than its `Content-Length`. */
  readonly body?: string | Buffer;
}

export interface Flood {
  /** Number of connections that are open at the same time. */
  readonly open: number;
  /** Returns the request of each connection. */
  readonly request: (n: number) => RawAttack;
  /** Whether the answer is read; unread answers stay in the gateway and its sockets. */
  readonly read?: boolean;
}

/** Requests that one account may send at once, and in each further minute, under the default rate limits. */
const perMinute = 200;

/**
 * Keeps connections open, each with one request, until the signal fires. Reopens a connection that the gateway closes,
 * as often as the default rate limits allow one account.
 */
export async function flood(
  url: string,
  { open, request, read = false }: Flood,
  signal: AbortSignal,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const startedAt = performance.now();
  const sockets = new Set<Socket>();
  for (let asked = 0; !signal.aborted;) {
    const allowed = perMinute * (1 + (performance.now() - startedAt) / 60_000);
    if (sockets.size >= open || asked >= allowed) {
      await pause(20);
      continue;
    }
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
    if (read) socket.resume();
    socket.write(headOf(request(asked++)));
  }
  for (const socket of sockets) socket.destroy();
  await Promise.all([...sockets].map((socket) => once(socket, "close")));
}

function headOf({ method = "GET", path, account, headers = {}, body = "" }: RawAttack): Buffer {
  const authorization = account
    ? { authorization: `Basic ${btoa(`${account.deliveryEmail}:${account.apiKey}`)}` }
    : {};
  // A reader sends `Connection: close`, so that the next request has a new connection.
  const all: Record<string, string> = {
    host: "gateway",
    connection: "close",
    ...authorization,
    ...headers,
  };
  const length = body.length > 0 && !("content-length" in all);
  if (length) all["content-length"] = String(Buffer.byteLength(body));
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} /api/v1${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}
