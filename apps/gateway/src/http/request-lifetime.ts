import { errors } from "@carillon/contract";
import { Lifetime, type Share } from "@carillon/db";
import type { Context } from "koa";

/**
 * Runs a request's work in a lifetime that ends at the deadline, and where the client hangs up. An error goes on only
 * once nothing of the work is under way in the database any more (http-contract.md §8).
 * @param share of the pool's connections, while nobody knows whose request it is
 * @param ms from the request's head on, the look-up of the credentials and the body included
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
    // Part of the work may still go on beside the part that failed.
    lifetime.end(errors.unavailable(), true);
    await lifetime.settled();
    throw error;
  } finally {
    lifetime.unlimit();
    ctx.res.off("close", hungUp);
  }
}
