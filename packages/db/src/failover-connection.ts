import { Socket } from "node:net";

import type { DatabaseHost } from "@carillon/kit";
import pg from "pg";

import { historyColumns, type History } from "./history.ts";
import type { ServerChoice } from "./server-choice.ts";

/** A method that `pg` has and its types lack. */
declare module "pg" {
  interface Connection {
    connect(port: number, host: string): void;
  }
}

/** SQLSTATEs of a server that starts or stops, and of a write that a read-only server has refused. */
const cannotConnectNow = "57P03";
const readOnly = "25006";

/** Parameters that a server reports to each session, at its beginning and when they change. */
const readOnlyParameters = new Set(["in_hot_standby", "default_transaction_read_only"]);

const anotherServer = "another server accepts writes now";

/** Thrown when none of several servers accepts writes. Its message lists the reason of each. */
export class NoWritableServer extends Error {
  constructor(readonly refusals: readonly string[]) {
    super(`no connection to a server that accepts writes: ${refusals.join(", ")}`);
  }
}

export interface FailoverOptions {
  readonly choice: ServerChoice;
  /** Milliseconds for one server, from connecting until the session is ready. */
  readonly perServerMs: number;
  /** Called with the server that has been chosen, before the session is used. */
  readonly onChosen: (server: DatabaseHost) => void;
  /** Options of `pg`'s own connection. */
  readonly connection: object;
}

/**
 * A connection to the first of several servers that accepts writes (libpq's `target_session_attrs=read-write`). States:
 *
 *     connecting ──a server accepts writes──▶ asking ──its history is current──▶ chosen
 *         ▲                                     │
 *         └──────────────it is skipped──────────┘
 *     connecting, asking ──no server is left, or one refuses the user──▶ closed
 *     chosen ──it refuses writes, or another was chosen──▶ closed
 *
 * Until a server is chosen, it skips servers that cannot be reached, start or stop, are read-only, or have an older
 * history than a server that the process has used, and hides their errors from `pg`. Other refusals, such as a wrong
 * password, are final, as with libpq. From PostgreSQL 14 on, a server reports `in_hot_standby` to each new session. With
 * one server there is no history to compare, and `asking` is left out.
 */
export class FailoverConnection extends pg.Connection {
  declare stream: pg.Connection["stream"];
  declare readonly _ending: boolean;
  #state: "connecting" | "asking" | "chosen" | "closed" = "connecting";
  readonly #options: FailoverOptions;
  readonly #left: DatabaseHost[];
  readonly #refusals: string[] = [];
  #server: DatabaseHost;
  #isReadOnly = false;
  /** What the server has answered; a server that does not know these functions answers nothing. */
  #history: History | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The socket below TLS, or the stream itself. */
  #socket: pg.Connection["stream"];

  constructor(options: FailoverOptions) {
    super(options.connection);
    this.#options = options;
    const [first, ...others] = options.choice.order();
    if (!first) throw new Error("there is no server to connect to");
    this.#server = first;
    this.#left = others;
    this.#socket = this.stream;
  }

  /** Connects to the current server. Ignores its arguments, which have one address. */
  override connect(): void {
    this.#state = "connecting";
    this.#isReadOnly = false;
    this.#history = undefined;
    this.#timer = setTimeout(() => this.#passOver("no answer in time"), this.#options.perServerMs);
    super.connect(this.#server.port, this.#server.host);
  }

  override emit(event: string, ...given: unknown[]): boolean {
    switch (this.#state) {
      case "connecting":
        return this.#whileConnecting(event, given);
      case "asking":
        return this.#whileAsking(event, given);
      case "chosen":
        return this.#whileChosen(event, given);
      case "closed":
        return super.emit(event, ...given);
    }
  }

  #whileConnecting(event: string, given: unknown[]): boolean {
    // The client has given up.
    if (this._ending && (event === "error" || event === "end")) this.#close();
    else if (event === "parameterStatus") this.#noteParameter(given[0]);
    else if (event === "error") return this.#passOver(reasonOf(given[0]));
    else if (event === "end") return this.#passOver("closed the connection");
    else if (event === "errorMessage") {
      if (codeOf(given[0]) === cannotConnectNow) return this.#passOver(reasonOf(given[0]));
      this.#close();
    } else if (event === "readyForQuery") {
      if (this.#isReadOnly) return this.#passOver("is read-only");
      if (this.#options.choice.hasSeveral) return this.#ask();
      this.#choose();
    }
    return super.emit(event, ...given);
  }

  #ask(): true {
    this.#state = "asking";
    this.query(`SELECT ${historyColumns}`);
    return true;
  }

  #whileAsking(event: string, given: unknown[]): boolean {
    switch (event) {
      case "dataRow":
        this.#history = historyOf(given[0]);
        return true;
      case "rowDescription":
      case "commandComplete":
      case "errorMessage":
        return true;
      case "readyForQuery": {
        const refusal = this.#history && this.#options.choice.refusal(this.#history);
        if (refusal !== undefined) return this.#passOver(refusal);
        this.#choose();
        return super.emit(event, ...given);
      }
      default:
        return this.#whileConnecting(event, given);
    }
  }

  #whileChosen(event: string, given: unknown[]): boolean {
    if (event === "parameterStatus") this.#noteParameter(given[0]);
    else if (event === "errorMessage") this.#isReadOnly ||= codeOf(given[0]) === readOnly;
    else if (event === "end") this.#close();
    const heard = super.emit(event, ...given);
    if (this.#isReadOnly && this.#state === "chosen") this.leave("the server is read-only");
    return heard;
  }

  #noteParameter(message: unknown): void {
    const { parameterName, parameterValue } = message as Record<string, string>;
    if (readOnlyParameters.has(parameterName ?? "") && parameterValue === "on")
      this.#isReadOnly = true;
  }

  #choose(): void {
    clearTimeout(this.#timer);
    this.#state = "chosen";
    this.#options.onChosen(this.#server);
    this.#options.choice.chosen(this.#server, this, this.#history);
  }

  /**
   * Skips this server and connects to the next one. After the last one, the connection fails. If the client was closed
   * meanwhile, the connection ends.
   */
  #passOver(reason: string): true {
    clearTimeout(this.#timer);
    this.#refusals.push(`${this.#server.host}:${this.#server.port} ${reason}`);
    this.#dropStreams();
    const next = this.#left.shift();
    if (this._ending) {
      this.#close();
      super.emit("end");
    } else if (next) {
      this.#server = next;
      this.stream = this.#socket = new Socket();
      this.connect();
    } else {
      this.#close();
      super.emit("error", new NoWritableServer(this.#refusals));
      super.emit("end");
    }
    return true;
  }

  /** Destroys the streams of a skipped server, so that `pg` gets no more of their events. */
  #dropStreams(): void {
    for (const stream of new Set([this.stream, this.#socket])) {
      for (const event of ["connect", "data", "error", "end", "close"])
        stream.removeAllListeners(event);
      stream.on("error", () => {});
      stream.destroy();
    }
  }

  /** Closes the connection, so that its statement fails and its pool removes it. */
  leave(reason = anotherServer): void {
    if (this.#state !== "chosen") return;
    this.#close();
    this.stream.destroy(new Error(`the connection was broken off: ${reason}`));
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#state = "closed";
    this.#options.choice.closed(this);
  }
}

/** Reads the row with `historyColumns`; a standby has none. */
function historyOf(message: unknown): History | undefined {
  const [cluster, timeline] = (message as { fields: Array<string | null> }).fields;
  if (!cluster || !timeline) return undefined;
  return { cluster, timeline: Number(timeline) };
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

function reasonOf(error: unknown): string {
  return codeOf(error) ?? (error as Error).message;
}
