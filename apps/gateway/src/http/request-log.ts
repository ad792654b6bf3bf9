import type { Logger } from "@carillon/kit";

/** What the log tells of a request: nothing that the caller sent but its method, and from where. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The path template, or null where there is no such path. */
  readonly path: string | null;
  readonly status: number;
  /** Milliseconds from the first byte of the head to the answer. */
  readonly ms: number;
  /** Where it comes from, behind proxies that are trusted too. */
  readonly address: string;
  readonly user?: number | undefined;
  /** Of an error. */
  readonly code?: string | undefined;
  /** Why credentials were refused. */
  readonly why?: string | undefined;
  /** Of the answer's body. */
  readonly bytes: number;
}

/**
 * Writes one line a request; probes of the health only where debugging is on.
 * The lines skip the search for secrets, which would cost more than the rest of the request's handling here:
 * a record holds nothing that could be one.
 */
export function requestLog(log: Logger): (record: RequestRecord) => void {
  const lines = log.child({}, { redact: [] });
  return (record) => {
    if (record.path === "/health" && record.status < 400) lines.debug(record, "request");
    else lines.info(record, "request");
  };
}
