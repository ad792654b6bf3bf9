import { errors, type ApiError } from "@carillon/contract";
import { Lifetime, type Share } from "@carillon/db";
import type { Context } from "koa";
import { isOutage } from "./outage.ts";

/**
 * Runs a request's work in a lifetime that ends at the deadline, and where the client hangs up. An error is rethrown
 * only when no work of the request runs in the database any more (http-contract.md §8). A passing error, such as a
 * database that is away, becomes a 503.
 * @param share of the pool's connections, while the sender is unknown
 * @param ms from the request's head on, including the look-up of the credentials and the body
 */
export async function inRequestLifetime(
  ctx: Context,
  share: Share,
  ms: number,
  work: (lifetime: Lifetime) => Promise<void>,
): Promise<void> {
  const lifetime = new Lifetime();
  lifetime.share = share;
  lifetime.limit(ms, () => errors.unavailable());
  const hungUp = () => lifetime.end(errors.badRequest("The client has hung up"), false);
  ctx.res.once("close", hungUp);
  if (ctx.req.socket.destroyed) hungUp();
  try {
    await work(lifetime);
  } catch (error) {
    // Other parts of the work may still be running.
    lifetime.end(errors.unavailable(), true);
    await lifetime.settled();
    throw isOutage(error) ? unavailable(lifetime, error) : error;
  } finally {
    lifetime.unlimit();
    ctx.res.off("close", hungUp);
  }
}

function unavailable({ uncertain, commits }: Lifetime, cause: unknown): ApiError {
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
