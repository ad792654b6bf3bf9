import type { Logger } from "@carillon/kit";

/** What the log records of a request. Only method, address and request id come from the caller. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The path template, or null for an unknown path. */
  readonly path: string | null;
  readonly status: number;
  /** Milliseconds from the first byte of the head to the answer. */
  readonly ms: number;
  /** The client's address, also behind trusted proxies. */
  readonly address: string;
  readonly user?: number | undefined;
  /** The code of an error. */
  readonly code?: string | undefined;
  /** Why credentials were refused. */
  readonly why?: string | undefined;
  /** Bytes of the answer's body. */
  readonly bytes: number;
}

/**
 * Logs one line for each request; health probes only at debug level. The lines skip the redaction of secrets, which
 * would cost more than the rest of the logging: a record cannot hold a secret.
 */
export function requestLog(log: Logger): (record: RequestRecord) => void {
  const lines = log.child({}, { redact: [] });
  return (record) => {
    if (record.path === "/health" && record.status < 400) lines.debug(record, "request");
    else lines.info(record, "request");
  };
}
