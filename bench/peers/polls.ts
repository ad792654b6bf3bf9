import { connect, type Socket } from "node:net";

/** A poll that gets its own connection. */
export interface PollRequest {
  /** Path with the queue; the last event id is appended. */
  readonly path: string;
  readonly authorization: string;
  readonly lastEventId: number;
}

/** A bench's request to open polls, to report when all are answered, or to close the connections. */
export type PollsRequest =
  | { readonly ask: "open"; readonly port: number; readonly polls: readonly PollRequest[] }
  | { readonly ask: "answers" }
  | { readonly ask: "hang up" };

/** The answers of all polls. */
export interface PollsAnswer {
  /** When the first and the last poll were answered, in UNIX milliseconds. */
  readonly first: number;
  readonly last: number;
  /** The ids of the messages in the answers, each once. */
  readonly messageIds: readonly number[];
  /** The fewest and the most messages in an answer. */
  readonly fewest: number;
  readonly most: number;
  /** One of the answers. */
  readonly body: string;
}

interface Answered {
  readonly at: number;
  readonly body: Buffer;
}

interface PollBody {
  readonly events?: ReadonlyArray<{ id: number; type: string; message?: { id: number } }>;
}

/** The last event id of each queue, by the path of its polls. The next poll acknowledges it, on any connection. */
const lastEventIds = new Map<string, number>();

/** Connections opened at once, fewer than a server's backlog. */
const connectingAtOnce = 100;

/**
 * One connection with one poll at a time. Parses just enough of HTTP to find the end of an answer, so that waiting
 * costs this process little.
 */
class Poller {
  answered: Answered | undefined;
  readonly #poll: PollRequest;
  readonly #socket: Socket;
  readonly #onAnswer: () => void;
  #chunks: Buffer[] = [];

  constructor(poll: PollRequest, socket: Socket, onAnswer: () => void) {
    this.#poll = poll;
    this.#socket = socket;
    this.#onAnswer = onAnswer;
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", () => this.#fail("a connection broke"));
    socket.on("close", () => this.answered ?? this.#fail("a connection was closed"));
  }

  open(): void {
    this.answered = undefined;
    const { path, authorization, lastEventId } = this.#poll;
    const last = lastEventIds.get(path) ?? lastEventId;
    this.#socket.write(
      `GET ${path}&last_event_id=${last} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`,
    );
  }

  hangUp(): void {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  /** Returns the ids of the messages in the answer, and notes the last event id. */
  messages(): number[] {
    const { events = [] } = JSON.parse(this.answered!.body.toString()) as PollBody;
    const last = events.at(-1);
    if (last) lastEventIds.set(this.#poll.path, last.id);
    return events.flatMap(({ message }) => (message ? [message.id] : []));
  }

  #read(chunk: Buffer): void {
    this.#chunks.push(chunk);
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    const end = all.indexOf("\r\n\r\n");
    if (end < 0) return;
    const head = all.toString("latin1", 0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    const body = all.subarray(end + 4);
    if (!head.startsWith("HTTP/1.1 200") || Number.isNaN(length))
      return this.#fail(`a poll was refused: ${all.toString()}`);
    if (body.length < length) return;
    this.#chunks = [];
    this.answered = { at: Date.now(), body };
    // Polls again after a heartbeat, as a client does.
    if (body.includes('"heartbeat"')) {
      this.messages();
      this.open();
    } else this.#onAnswer();
  }

  #fail(what: string): void {
    console.error(what);
    process.exit(1);
  }
}

let pollers: Poller[] = [];
let unanswered = 0;
let onAll: (() => void) | undefined;

process.on("message", (request: PollsRequest) => {
  void (async () => process.send?.((await perform(request)) ?? {}))();
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
console.log("polls started");

async function perform(request: PollsRequest): Promise<PollsAnswer | undefined> {
  switch (request.ask) {
    case "open":
      return open(request.port, request.polls);
    case "answers":
      return answers();
    case "hang up":
      for (const poller of pollers) poller.hangUp();
      pollers = [];
      return undefined;
  }
}

async function open(port: number, polls: readonly PollRequest[]): Promise<undefined> {
  for (let from = 0; from < polls.length; from += connectingAtOnce) {
    const some = polls.slice(from, from + connectingAtOnce).map(async (poll) => {
      const socket = await connected(port);
      return new Poller(poll, socket, () => {
        if (--unanswered === 0) onAll?.();
      });
    });
    pollers.push(...(await Promise.all(some)));
  }
  unanswered = pollers.length;
  for (const poller of pollers) poller.open();
}

async function answers(): Promise<PollsAnswer> {
  if (unanswered > 0) await new Promise<void>((resolve) => (onAll = resolve));
  const times = pollers.map(({ answered }) => answered!.at);
  const received = pollers.map((poller) => poller.messages());
  const counts = received.map(({ length }) => length);
  return {
    first: Math.min(...times),
    last: Math.max(...times),
    messageIds: [...new Set(received.flat())],
    fewest: Math.min(...counts),
    most: Math.max(...counts),
    body: pollers[0]!.answered!.body.toString(),
  };
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("connect", () => {
      socket.removeListener("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}
