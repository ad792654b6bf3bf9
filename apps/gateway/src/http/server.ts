import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { errors, type ApiError } from "@carillon/contract";
import type Koa from "koa";
import { errorText } from "./error-response.ts";
import { corsHeaders } from "./exchange.ts";

/** Bytes of a request's head: more than 5,000 escaped message IDs in a query (http-contract.md §8). */
const maxHeaderSize = 256 * 1024;

/** Milliseconds for the head of a request; its body is under the request's own deadline. */
const headersTimeout = 10_000;
/** Milliseconds between two checks for late heads. */
const connectionsCheckingInterval = 2_000;

/**
 * Creates an HTTP server for the app, which does not listen yet. What Node refuses before there is a request (broken
 * heads, heads that are too large or too slow) is answered in the envelope too.
 */
export function createGatewayServer(app: Koa): Server {
  const answerByApp = app.callback();
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    const fault = faultOf(req);
    if (fault === undefined) return answerByApp(req, res);
    res.writeHead(400, { ...corsHeaders, "Content-Type": "application/json", Connection: "close" });
    res.end(errorText(errors.badRequest(fault)));
  };
  const server = createServer(
    { maxHeaderSize, keepAliveTimeout: 75_000, headersTimeout, connectionsCheckingInterval },
    answer,
  );
  server.on("clientError", answerClientError);
  // `Expect: 100-continue` is answered only when the body is read: see `readBody`.
  server.on("checkContinue", answer);
  // Node's own answer to any other expectation would have no envelope.
  server.on("checkExpectation", answer);
  return server;
}

/**
 * Finds faults of requests that Node's parser accepts: with several `Host` headers a proxy may route by another one
 * than the gateway, and HTTP/0.9 has no status or headers.
 */
function faultOf({ httpVersionMajor, rawHeaders }: IncomingMessage): string | undefined {
  if (httpVersionMajor < 1) return "HTTP/0.9 is not supported; send HTTP/1.1";
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === "host") hosts++;
  return hosts > 1 ? "The request has more than one Host header; send one" : undefined;
}

/** Milliseconds between two checks of a closing server for idle connections. */
const recheckMs = 50;

/**
 * Accepts no new connections and resolves when the running requests have been answered. Idle keep-alive connections
 * stay open for `drainMs`: a proxy may just be sending on one, and must not send that request again to another gateway.
 * The app answers on them with `Connection: close`.
 */
export async function closeGatewayServer(server: Server, drainMs = 1_000): Promise<void> {
  const until = performance.now() + drainMs;
  const idle = setInterval(() => {
    if (performance.now() >= until) server.closeIdleConnections();
  }, recheckMs);
  // `close` of HTTP servers would end idle connections at once.
  await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(idle);
}

const corsLines = Object.entries(corsHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, text } = refusalOf(error.code);
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `${corsLines}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

function refusalOf(code: string | undefined): { status: string; text: string } {
  const answer = (status: string, error: ApiError) => ({ status, text: errorText(error) });
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return answer("431 Request Header Fields Too Large", errors.requestTooLarge(maxHeaderSize));
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return answer(
        "408 Request Timeout",
        errors.badRequest("The request took too long to arrive"),
      );
    default:
      return answer("400 Bad Request", errors.badRequest("This is not an HTTP request"));
  }
}
