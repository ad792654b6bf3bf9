import type { IncomingMessage, ServerResponse } from "node:http";

/** A call as the bouncer received it. */
export interface BouncerCall {
  /** `register`, `notify`, or another path. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
}

/** The bouncer's answer; default: 200 and `{result: "success", msg: ""}`; `body` overrides fields. */
export interface BouncerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Raw text in place of JSON. */
  readonly text?: string;
}

/** The arguments of a fault. */
export interface BouncerHands {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Performs the call, and returns its answer. */
  readonly accept: () => BouncerAnswer;
}

/** A faulty reaction to a call; returns undefined if it sends no answer, or has sent one. */
export type BouncerFault = (
  call: BouncerCall,
  hands: BouncerHands,
) => BouncerAnswer | undefined | Promise<BouncerAnswer | undefined>;

/** Returns a fault that answers with an error of the bouncer: `refuses(403, "MISSING_REMOTE_REALM")`. */
export function refuses(status: number, code: string): BouncerFault {
  return () => ({ status, body: { code, msg: `refused: ${code}` } });
}

/** Gives a fixed answer. */
export function answers(answer: BouncerAnswer): BouncerFault {
  return () => answer;
}

/** Accepts the call and never answers. */
export const hangs: BouncerFault = () => undefined;

/** Sends the head and never finishes the body. */
export const hangsInBody: BouncerFault = (_call, { response }) => {
  response.writeHead(200, { "content-type": "application/json" }).write("{");
  return undefined;
};

/** A body that never ends. */
export const endless: BouncerFault = (_call, { response }) => {
  response.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(64_000, " ");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
  return undefined;
};

/** Ends the connection without an answer. */
export const drops: BouncerFault = (_call, { response }) => {
  response.destroy();
  return undefined;
};

/** Answers with something that is not HTTP. */
export const garbage: BouncerFault = (_call, { request }) => {
  request.socket.end("What? \u0000\r\n\r\n");
  return undefined;
};

/** Performs the call, and closes the connection without an answer. */
export const unheard: BouncerFault = (_call, { accept, response }) => {
  accept();
  response.destroy();
  return undefined;
};

/** Delays every call until `release`, then performs it. */
export function holding(): { readonly fault: BouncerFault; release(): void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  return {
    fault: async (_call, { accept }) => {
      await released;
      return accept();
    },
    release: () => release(),
  };
}
