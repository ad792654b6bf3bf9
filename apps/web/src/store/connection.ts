/**
 * `connecting` until the first snapshot has arrived, `silent` while a request waits for its answer for long, `offline` while
 * requests fail without one. `refused` is final: the server does not accept the key.
 */
export type Connection = "connecting" | "live" | "silent" | "offline" | "refused";
