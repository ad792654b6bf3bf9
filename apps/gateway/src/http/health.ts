import { errors, operation } from "@carillon/contract";
import { handlerFor, type Handler } from "./handler.ts";

const health = operation({
  id: "get-health",
  method: "GET",
  path: "/health",
  access: "anyone",
  summary: "Whether the process serves",
});

/** Returns the handler of `GET /health`. @param probe rejects if the process cannot serve; the answer is 503 then */
export function healthHandler(probe: () => Promise<unknown>): Handler<unknown> {
  return handlerFor<unknown>()(health, async () => {
    await probe().catch(() => {
      throw errors.unavailable("The server cannot answer requests at the moment");
    });
  });
}
