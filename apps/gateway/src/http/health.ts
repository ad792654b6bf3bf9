import { errors, operation } from "@carillon/contract";
import { handlerFor, type Handler } from "./handler.ts";

const health = operation({
  id: "get-health",
  method: "GET",
  path: "/health",
  access: "anyone",
  summary: "Whether the process serves",
});

/** @param probe rejects when the process cannot serve: then the answer is 503 */
export function healthHandler(probe: () => Promise<unknown>): Handler<unknown> {
  return handlerFor<unknown>()(health, async () => {
    await probe().catch(() => {
      throw errors.unavailable("The server cannot answer requests at the moment");
    });
  });
}
