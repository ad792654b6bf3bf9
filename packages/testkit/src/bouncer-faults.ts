import type { IncomingMessage, ServerResponse } from "node:http";

/** A call as the bouncer got it. */
export interface BouncerCall {
  /** `register`, `notify`, or the path of what is neither. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
}

/** What the bouncer answers: 200 and `{result: "success", msg: ""}` unless given; `body` goes over the envelope. */
export interface BouncerAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** In place of JSON. */
  readonly text?: string;
}

/** What a fault has to work with. */
export interface BouncerHands {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Does what the call asks for, and gives the answer to it. */
  readonly accept: () => BouncerAnswer;
}

/** What the bouncer does with a call in place of answering it well; undefined where it sends no answer, or has sent it. */
export type BouncerFault = (
  call: BouncerCall,
  hands: BouncerHands,
) => BouncerAnswer | undefined | Promise<BouncerAnswer | undefined>;

/** A refusal of the bouncer's own: `refuses(403, "MISSING_REMOTE_REALM")`. */
export function refuses(status: number, code: string): BouncerFault {
  return () => ({ status, body: { code, msg: `refused: ${code}` } });
}

/** Any answer at all. */
export function answers(answer: BouncerAnswer): BouncerFault {
  return () => answer;
}

/** Takes the call, and never says a word. */
export const hangs: BouncerFault = () => undefined;

/** Answers with a head, and never with the whole body. */
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

/** What it says is no HTTP. */
export const garbage: BouncerFault = (_call, { request }) => {
  request.socket.end("What? \u0000\r\n\r\n");
  return undefined;
};

/** Does what it is asked for, and ends the connection before anybody hears of it. */
export const unheard: BouncerFault = (_call, { accept, response }) => {
  accept();
  response.destroy();
  return undefined;
};

/** Waits with every call until `release`, and then does what it is asked for. */
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
