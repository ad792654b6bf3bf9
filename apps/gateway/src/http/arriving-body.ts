import { errors } from "@carillon/contract";
import type { Lifetime } from "@carillon/db";
import type { Context } from "koa";
import type { LargeTurns } from "./large-turns.ts";

/** Who sends a body, and how long it may take. */
export interface Sender {
  readonly accountId: number;
  readonly lifetime: Lifetime;
  /** Milliseconds in which at least one byte must arrive. */
  readonly idleMs: number;
}

/**
 * Waits until a body may lie in memory, when it announces `large` bytes or more or does not announce its size. Then
 * watches it arrive: a body that stops would hold memory and its place until the request's deadline. The place is
 * given back when the answer has gone out.
 * @param large bytes
 * @throws the lifetime's reason when the request ends while it waits
 */
export async function admitBody(
  { req, res }: Context,
  { accountId, lifetime, idleMs }: Sender,
  turns: LargeTurns,
  large: number,
): Promise<void> {
  const { "content-length": announced, "content-encoding": compressed } = req.headers;
  if (compressed === undefined && Number(announced) < large) return;
  const leave = await turns.enter(accountId, lifetime);
  if (res.closed) leave();
  else res.once("close", leave);
  watchArrival(req, lifetime, idleMs);
}

/**
 * Ends the request with 408 once no byte has arrived for `idleMs`, or for up to half as long again: it looks twice in
 * that time, and counts bytes on the socket because a listener on the body would start to read it.
 */
function watchArrival(req: Context["req"], lifetime: Lifetime, idleMs: number): void {
  let arrived = req.socket.bytesRead;
  let idleLooks = 0;
  const timer = setInterval(() => {
    if (req.complete || req.destroyed || lifetime.reason) {
      clearInterval(timer);
      return;
    }
    const { bytesRead } = req.socket;
    idleLooks = bytesRead === arrived ? idleLooks + 1 : 0;
    arrived = bytesRead;
    if (idleLooks < 2) return;
    clearInterval(timer);
    lifetime.end(errors.bodyStopped(idleMs / 1_000), true);
  }, idleMs / 2);
  timer.unref();
}
