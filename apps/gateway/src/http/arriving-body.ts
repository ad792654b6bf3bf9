import { errors } from "@carillon/contract";
import type { RequestDeadline } from "@carillon/db";
import type { Context } from "koa";
import type { AccountSemaphore } from "./account-semaphore.ts";

/** The sender of a body, and how long the body may pause. */
export interface Sender {
  readonly accountId: number;
  readonly deadline: RequestDeadline;
  /** Milliseconds in which at least one byte must arrive. */
  readonly idleMs: number;
}

/**
 * Waits for the semaphore of large bodies when a body announces `large` bytes or more, or does not announce its size.
 * Then watches it arrive: a stalled body would hold memory and its permit until the request's deadline. The permit is
 * released when the answer has been sent.
 * @param large bytes
 * @throws the deadline's reason when the request ends while it waits
 */
export async function admitBody(
  { req, res }: Context,
  { accountId, deadline, idleMs }: Sender,
  semaphore: AccountSemaphore,
  large: number,
): Promise<void> {
  const { "content-length": announced, "content-encoding": compressed } = req.headers;
  if (compressed === undefined && Number(announced) < large) return;
  const release = await semaphore.acquire(accountId, deadline);
  if (res.closed) release();
  else res.once("close", release);
  watchArrival(req, deadline, idleMs, semaphore);
}

/** Bytes a second below which a body loses its permit while others wait: few accounts could hold all permits for an hour. */
const leastRate = 16 * 1024;

/**
 * Ends the request with 408 once no byte has arrived for `idleMs` to 1.5 `idleMs`, or if it has been slower than
 * {@link leastRate} for that long while others wait. It checks twice in that time, and counts bytes on the socket because a
 * listener on the body would start to read it.
 */
function watchArrival(
  req: Context["req"],
  deadline: RequestDeadline,
  idleMs: number,
  semaphore: AccountSemaphore,
): void {
  const slowBytes = (leastRate * idleMs) / 2_000;
  let arrived = req.socket.bytesRead;
  let idleChecks = 0;
  let slowChecks = 0;
  const timer = setInterval(() => {
    if (req.complete || req.destroyed || deadline.reason) {
      clearInterval(timer);
      return;
    }
    const { bytesRead } = req.socket;
    // A body that waits for the file store pauses because of the server.
    const isByServer = req.isPaused();
    const came = bytesRead - arrived;
    idleChecks = came === 0 && !isByServer ? idleChecks + 1 : 0;
    slowChecks = came < slowBytes && !isByServer && semaphore.isContended ? slowChecks + 1 : 0;
    arrived = bytesRead;
    if (idleChecks < 2 && slowChecks < 2) return;
    clearInterval(timer);
    deadline.end(
      idleChecks < 2 ? errors.bodyTooSlow(leastRate) : errors.bodyStopped(idleMs / 1_000),
      true,
    );
  }, idleMs / 2);
  timer.unref();
}
