import { Agent, request } from "node:http";

/** The server and the account of the measured requests. */
export interface WatchRequest {
  readonly port: number;
  /** Port of an idle server in another process. */
  readonly idlePort?: number;
  readonly authorization: string;
}

/** The longest waits since the previous report, in milliseconds. */
export interface Waits {
  /** `GET /users/me`. */
  readonly account: number;
  /** An unknown path, which needs no database: measures only delays of the process. */
  readonly process: number;
  /** The idle server: measures delays of the machine; 0 without one. */
  readonly machine: number;
}

const everyMs = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 512 });
const none: Waits = { account: 0, process: 0, machine: 0 };
let longest = { ...none };
const open = new Map<number, { kind: keyof Waits; at: number }>();
let nextNumber = 0;

process.on("message", (wanted: WatchRequest | "read") => {
  if (wanted === "read") return sendWaits();
  let due = performance.now();
  const ask = (): void => {
    // Sends the requests that were missed while this process itself was delayed.
    for (; due <= performance.now(); due += everyMs) {
      get(wanted, "account", "/api/v1/users/me", due);
      get(wanted, "process", "/api/v1/there/is/no/such/path", due);
      const { idlePort: port } = wanted;
      if (port !== undefined) get({ ...wanted, port }, "machine", "/", due);
    }
  };
  setInterval(ask, everyMs / 4);
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
console.log("watcher started");

function get(wanted: WatchRequest, kind: keyof Waits, path: string, at: number): void {
  const number = nextNumber++;
  open.set(number, { kind, at });
  const headers = { authorization: wanted.authorization };
  const done = (): void => {
    if (open.delete(number)) note(kind, at);
  };
  request({ host: "127.0.0.1", port: wanted.port, path, headers, agent }, (response) => {
    response.resume().on("end", done);
  })
    .on("error", done)
    .end();
}

function note(kind: keyof Waits, at: number): void {
  longest[kind] = Math.max(longest[kind], performance.now() - at);
}

/** Sends the longest waits. A request without an answer counts with the time that it has waited so far. */
function sendWaits(): void {
  for (const { kind, at } of open.values()) note(kind, at);
  process.send?.(longest);
  longest = { ...none };
}
