import { errors, type ApiError } from "@carillon/contract";
import { RequestDeadline } from "@carillon/db";
import type { Semaphore } from "@carillon/kit";
import type { Context } from "koa";
import { isOutage } from "./outage.ts";

/**
 * Runs a request's work under a deadline that ends after `ms` and when the client hangs up. An error is rethrown only
 * when no work of the request runs in the database any more (http-contract.md §8). A temporary error, such as an
 * unreachable database, becomes a 503.
 * @param connectionLimit the limit for all requests whose account is not known yet
 * @param ms milliseconds from the request's head on, including the look-up of the credentials and the body
 */
export async function withRequestDeadline(
  ctx: Context,
  connectionLimit: Semaphore,
  ms: number,
  work: (deadline: RequestDeadline) => Promise<void>,
): Promise<void> {
  const deadline = new RequestDeadline();
  deadline.connectionLimit = connectionLimit;
  deadline.limit(ms, () => errors.unavailable());
  const hungUp = () => deadline.end(errors.badRequest("The client has hung up"), false);
  ctx.res.once("close", hungUp);
  if (ctx.req.socket.destroyed) hungUp();
  try {
    await work(deadline);
  } catch (error) {
    // Other parts of the work may still be running.
    deadline.end(errors.unavailable(), true);
    await deadline.settled();
    throw isOutage(error) ? unavailable(deadline, error) : error;
  } finally {
    deadline.unlimit();
    ctx.res.off("close", hungUp);
  }
}

function unavailable({ uncertain, commits }: RequestDeadline, cause: unknown): ApiError {
  const refusal = errors.unavailable(
    uncertain
      ? "The server lost its database, and cannot tell whether the request was carried out"
      : commits > 0
        ? "The server could not carry out the whole request at the moment, though it carried out a part"
        : "The server cannot carry out the request at the moment; nothing was changed",
  );
  refusal.cause = cause;
  return refusal;
}
