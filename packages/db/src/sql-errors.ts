/** Returns the SQLSTATE of a database error, even if Prisma has wrapped it; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  for (let e = error; e && typeof e === "object"; e = inner(e)) {
    const { code: own, originalCode } = e as { code?: unknown; originalCode?: unknown };
    const code = originalCode ?? own;
    // Excludes codes of the system (EPIPE) and of Prisma (P2034): no SQLSTATE begins with E or with P1 to P9.
    if (typeof code === "string" && /^(?!E|P[1-9])[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** Returns the wrapped error: the cause, or the driver's error inside Prisma's. */
function inner(error: object): unknown {
  const { cause, meta } = error as { cause?: unknown; meta?: { driverAdapterError?: unknown } };
  return meta?.driverAdapterError ?? cause;
}

/**
 * Thrown when the data on which a transaction based its decision changed before it had its locks. The transaction runs
 * again from the start, as after a serialization failure.
 */
export class ChangedMeanwhile extends Error {
  /** Serialization failure. */
  readonly code = "40001";
}

/** Returns whether another transaction won (serialization failure, deadlock) and this one may run again. */
export function isTransactionConflict(error: unknown): boolean {
  const code = sqlState(error);
  return code === "40001" || code === "40P01";
}

/**
 * Returns whether the same work may succeed later: the connection broke, another transaction won, a lock was not granted
 * in time, or the server is stopping or has become read-only, and the next connection reaches its successor.
 */
export function isTransient(error: unknown): boolean {
  const code = sqlState(error);
  if (code === undefined) {
    const name = (error as { code?: unknown } | undefined)?.code;
    return (
      (typeof name === "string" && /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_)/.test(name)) ||
      (error instanceof Error &&
        // A programming error, whatever its message mentions.
        !(error instanceof TypeError) &&
        /connection|timeout exceeded|read timeout|Client was closed/i.test(error.message))
    );
  }
  // Class 08: connection; 53: resources; 57P: shutdown and cancel; 55P03: lock timeout; 25P03, 25P04: the server ended an
  // idle or long transaction; 25006: it is read-only.
  return /^(08|53|57|40)/.test(code) || ["55P03", "25P03", "25P04", "25006"].includes(code);
}
