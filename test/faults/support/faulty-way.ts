import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** An intercepted call of the bouncer. */
export interface Call {
  /**
   * Forwards the call.
   * @returns the bouncer's answer
   */
  forward(): Promise<{ status: number; text: string }>;
  /** Answers the server. */
  answer(status: number, text: string, headers?: Record<string, string>): void;
  /** Breaks the connection to the server. */
  drop(): void;
}

/** A fault of a call. */
export type Mishap = (call: Call) => Promise<void> | void;

const refusal = (code: string) => JSON.stringify({ result: "error", msg: "x", code });

const pass: Mishap = async (call) => {
  const { status, text } = await call.forward();
  call.answer(status, text);
};

/** Faults of calls to a bouncer that is available. */
export const mishaps: Readonly<Record<string, Mishap>> = {
  delay: async (call) => {
    await pause(300);
    await pass(call);
  },
  hang: () => {},
  "hang once it is done": async (call) => void (await call.forward()),
  "429": (call) => call.answer(429, refusal("RATE_LIMIT_HIT"), { "retry-after": "1" }),
  "500": (call) => call.answer(500, refusal("INTERNAL_ERROR")),
  drop: (call) => call.drop(),
  "drop once it is done": async (call) => {
    await call.forward();
    call.drop();
  },
  "arrive twice": async (call) => {
    const [{ status, text }] = await Promise.all([call.forward(), call.forward()]);
    call.answer(status, text);
  },
};

/** An arriving call. */
export interface Arriving {
  /** `register` or `notify` */
  readonly name: string;
  readonly idempotencyKey: string | undefined;
}

/** Chooses the fault of a call; undefined for none. */
export type ChooseMishap = (
  call: Arriving,
) => { readonly name: string; readonly mishap: Mishap } | undefined;

/** Applies each fault once to each kind of call, and then none. */
function eachOnce(): ChooseMishap {
  const waiting = new Map<string, Array<[string, Mishap]>>();
  return ({ name }) => {
    const left = waiting.get(name) ?? Object.entries(mishaps);
    waiting.set(name, left);
    const next = left.shift();
    return next && { name: next[0], mishap: next[1] };
  };
}

/** A proxy to the bouncer that applies faults to calls. */
export interface FaultyWay {
  readonly url: string;
  /** The faults applied so far, as `CALL: FAULT`. */
  readonly befallen: string[];
  close(): Promise<void>;
}

/**
 * Starts the proxy.
 * @param target returns the bouncer's address; called at the first call
 * @param choose by default each fault is applied once to each kind of call
 */
export async function startFaultyWay(
  target: () => string,
  choose: ChooseMishap = eachOnce(),
): Promise<FaultyWay> {
  const befallen: string[] = [];

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const path = request.url ?? "";
    const name = path.split("/").at(-1) ?? "";
    const key = request.headers["idempotency-key"];
    const chosen = choose({ name, idempotencyKey: typeof key === "string" ? key : undefined });
    if (chosen) befallen.push(`${name}: ${chosen.name}`);
    const names = ["authorization", "content-type", "idempotency-key"] as const;
    const headers = names.flatMap((one): Array<[string, string]> => {
      const value = request.headers[one];
      return typeof value === "string" ? [[one, value]] : [];
    });
    await (chosen?.mishap ?? pass)({
      async forward() {
        const answer = await fetch(target() + path, { method: "POST", headers, body });
        return { status: answer.status, text: await answer.text() };
      },
      answer: (status, text, more = {}) =>
        response.writeHead(status, { "content-type": "application/json", ...more }).end(text),
      drop: () => response.destroy(),
    });
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    befallen,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
