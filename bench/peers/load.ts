import autocannon from "autocannon";
import type { FormRequest } from "../lib/requests.ts";
import { quantile } from "../lib/statistics.ts";

export interface LoadRequest {
  readonly port: number;
  readonly seconds: number;
  /** Requests in flight. */
  readonly connections: number;
  readonly requests: readonly FormRequest[];
  /** The name of a header that gets a different value in each request. */
  readonly numberedHeader?: string;
}

export interface LoadAnswer {
  readonly answered: number;
  /** Answers with a status other than 2xx, and requests without an answer. */
  readonly refused: number;
  /** Answered requests per second. */
  readonly rate: number;
  /** Milliseconds from request to answer. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

process.on("message", (request: LoadRequest) => {
  void (async () => process.send?.(await send(request)))();
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
console.log("load started");

/** The latest value of the numbered header. */
let number = 0;

async function send(load: LoadRequest): Promise<LoadAnswer> {
  const { port, seconds, connections, numberedHeader } = load;
  const requests = load.requests.map((request) => ({
    ...request,
    ...(numberedHeader && {
      setupRequest: (one: FormRequest) => ({
        ...one,
        headers: { ...one.headers, [numberedHeader]: String(++number) },
      }),
    }),
  }));
  let next = 0;
  const times: number[] = [];
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    // Each connection starts at another request, so that they do not all send the same one.
    setupClient(client) {
      const start = (next++ * requests.length) / connections;
      client.on("response", (_status, _bytes, ms) => times.push(ms));
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)]);
    },
  });
  const answered = result["2xx"] + result.non2xx;
  return {
    answered,
    refused: result.non2xx + result.errors + result.timeouts,
    rate: answered / result.duration,
    p50: result.latency.p50,
    p95: quantile(times, 0.95),
    p99: result.latency.p99,
  };
}
