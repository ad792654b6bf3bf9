import { once } from "node:events";
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A proxy in front of gateways that behaves like nginx with `deploy/nginx`: it prefers the gateway with the fewest open
 * requests, keeps connections, and retries on another gateway only requests that certainly had no effect. A gateway
 * that does not answer `/health` in time gets no more requests, and its open requests are aborted, until it answers
 * again.
 */
export interface Proxy {
  readonly url: string;
  /** Returns how many requests the gateway has answered through the proxy. */
  answered(gateway: string): number;
  add(gateway: string): void;
  close(): Promise<void>;
}

interface Upstream {
  readonly url: string;
  readonly agent: Agent;
  readonly open: Set<() => void>;
  answered: number;
  sick: boolean;
}

/** Interval of health checks, and their time limit, in milliseconds. */
const recheckMs = 250;
const waitTimeoutMs = 2_000;

export async function startProxy(): Promise<Proxy> {
  const upstreams: Upstream[] = [];

  const next = (tried: readonly Upstream[]) => {
    const left = upstreams.filter((one) => !tried.includes(one));
    const well = left.filter(({ sick }) => !sick);
    return (well.length > 0 ? well : left).toSorted((a, b) => a.open.size - b.open.size)[0];
  };

  async function serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of asked) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const tried: Upstream[] = [];
    for (;;) {
      const upstream = next(tried);
      if (!upstream) break;
      tried.push(upstream);
      const outcome = await forward(upstream, asked, body, response);
      if (outcome === "answered") return;
      if (outcome === "unknown" && asked.method !== "GET") break;
    }
    response.writeHead(502).end("no gateway has answered");
  }

  const server = createServer((asked, response) => {
    serve(asked, response).catch(() => response.destroy());
  });
  // With the default of 5 s, a client on a busy machine may send a request on a connection that is just being closed.
  server.keepAliveTimeout = 300_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const looks = setInterval(() => upstreams.forEach(look), recheckMs);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: (gateway) => upstreams.find(({ url }) => url === gateway)?.answered ?? 0,
    add(gateway) {
      const agent = new Agent({ keepAlive: true });
      upstreams.push({ url: gateway, agent, open: new Set(), answered: 0, sick: false });
    },
    async close() {
      clearInterval(looks);
      for (const { agent } of upstreams) agent.destroy();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Forwards a request.
 * @returns `unsent` when the gateway refused the connection, `unknown` when the connection broke before an answer
 */
function forward(
  upstream: Upstream,
  asked: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<"answered" | "unsent" | "unknown"> {
  return new Promise((resolve) => {
    const headers: OutgoingHttpHeaders = { ...asked.headers, "content-length": body.length };
    delete headers.connection;
    const { agent } = upstream;
    const sent = request(upstream.url + asked.url, { agent, method: asked.method, headers });
    const breakOff = () => void sent.destroy(new Error("the gateway does not answer"));
    upstream.open.add(breakOff);
    response.once("close", breakOff);
    sent.once("close", () => upstream.open.delete(breakOff));
    sent.on("error", (error: NodeJS.ErrnoException) => {
      response.off("close", breakOff);
      resolve(error.code === "ECONNREFUSED" ? "unsent" : "unknown");
    });
    sent.on("response", (answer) => {
      upstream.answered++;
      const { connection: _, ...given } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, given);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
      answer.on("end", () => response.off("close", breakOff));
      resolve("answered");
    });
    sent.end(body);
  });
}

function look(upstream: Upstream): void {
  const asked = request(`${upstream.url}/health`, { timeout: waitTimeoutMs, agent: false });
  asked.on("response", (answer) => {
    answer.resume();
    upstream.sick = false;
  });
  asked.on("timeout", () => {
    upstream.sick = true;
    upstream.open.forEach((breakOff) => breakOff());
    asked.destroy();
  });
  // Connection refused: the next request fails in the same way and goes to another gateway.
  asked.on("error", () => {});
  asked.end();
}
