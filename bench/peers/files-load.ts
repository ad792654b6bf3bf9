import { Agent, request, type IncomingMessage, type RequestOptions } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "../lib/statistics.ts";

/** The requests that this process sends. */
export interface FilesRequest {
  readonly port: number;
  readonly path: string;
  /** Bytes of the file that each request uploads; 0 for requests without a body. */
  readonly uploads: number;
  /** Requests in flight. */
  readonly inFlight: number;
  /** Seconds in which requests begin; 0 for one request in each of the `inFlight` loops. */
  readonly seconds: number;
  /** Milliseconds from an answer to the next request of the same loop. */
  readonly everyMs?: number;
  /** Values of the header `Authorization`, used in turn. */
  readonly authorizations: readonly string[];
}

export interface FilesAnswer {
  readonly answered: number;
  /** Answered requests per second. */
  readonly rate: number;
  /** Milliseconds from request to the end of the answer. */
  readonly p50: number;
  readonly p99: number;
}

const boundary = "----bench";
const head = Buffer.from(
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bench.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
);
const end = Buffer.from(`\r\n--${boundary}--\r\n`);
const bodies = new Map<number, Buffer>();

process.on("message", (wanted: FilesRequest) => {
  void (async () => process.send?.(await send(wanted)))();
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
console.log("files-load started");

async function send(wanted: FilesRequest): Promise<FilesAnswer> {
  const { port, path, uploads, inFlight, seconds, everyMs = 0, authorizations } = wanted;
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const body = uploads > 0 ? bodyOf(uploads) : undefined;
  const times: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  const loop = async (n: number) => {
    const headers = {
      authorization: authorizations[n % authorizations.length]!,
      ...(body && {
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": body.length,
      }),
    };
    do {
      const from = performance.now();
      await one({ port, path, agent, method: body ? "POST" : "GET", headers }, body);
      times.push(performance.now() - from);
      if (everyMs > 0) await pause(everyMs);
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: inFlight }, (_, n) => loop(n)));
  const passed = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  const shown = (share: number) => Math.round(quantile(times, share) * 10) / 10;
  return {
    answered: times.length,
    rate: times.length / passed,
    p50: shown(0.5),
    p99: shown(0.99),
  };
}

function bodyOf(bytes: number): Buffer {
  let body = bodies.get(bytes);
  if (!body)
    bodies.set(bytes, (body = Buffer.concat([head, Buffer.alloc(bytes, "carillon"), end])));
  return body;
}

/** @throws Error unless the answer has status 200 */
function one(options: RequestOptions, body: Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", ...options }, (answer: IncomingMessage) => {
      if (answer.statusCode !== 200)
        reject(new Error(`${options.path} answered ${answer.statusCode}`));
      answer.resume();
      answer.once("end", resolve);
      answer.once("error", reject);
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
