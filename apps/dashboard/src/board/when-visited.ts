import { whenNeeded } from "@carillon/kit";
import type { Queues } from "@carillon/queue";
import type { Context, Middleware } from "koa";
import { boardPath } from "../pages/links.ts";

/** Loads the board at its first visit: it takes 20 MB. */
export function boardWhenVisited(queues: Queues): Middleware {
  const board = whenNeeded(async () => {
    const { boardMiddleware } = await import("./board.ts");
    return boardMiddleware(queues);
  });
  return async (ctx, next) => {
    if (isOnBoard(ctx)) await (await board())(ctx, next);
    else await next();
  };
}

/** Refuses requests that would change something, before bull-board sees them. */
export const boardIsReadOnly: Middleware = async (ctx, next) => {
  if (!isOnBoard(ctx) || ctx.method === "GET" || ctx.method === "HEAD") {
    await next();
    return;
  }
  ctx.status = 405;
  ctx.set("Allow", "GET, HEAD");
  ctx.body = {
    error: "The queues are read-only here. Dead letters are replayed at /dead-letters.",
  };
};

function isOnBoard({ path }: Context): boolean {
  return path === boardPath || path.startsWith(`${boardPath}/`);
}
