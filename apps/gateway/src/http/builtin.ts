import { errors, operation, openApi, type Operation } from "@carillon/contract";
import { handlerFor, rawHandlerFor, type Handler } from "./handler.ts";

/** What the gateway serves about itself. */

const health = operation({
  id: "get-health",
  method: "GET",
  path: "/health",
  access: "anyone",
  summary: "Whether the process serves",
});

const document = operation({
  id: "get-openapi-document",
  method: "GET",
  path: "/api/v1/openapi.json",
  access: "anyone",
  raw: [{ status: 200, about: "The document.", type: "application/json" }],
  summary: "This API as an OpenAPI document",
});

/** @param probe rejects when the process cannot serve: then the answer is 503 */
export function healthHandler(probe: () => Promise<unknown>): Handler<unknown> {
  return handlerFor<unknown>()(health, async () => {
    await probe().catch(() => {
      throw errors.unavailable("The server cannot answer requests at the moment");
    });
  });
}

/** @param serverUrl the address that clients use */
export function openApiHandler(
  operations: readonly Operation[],
  serverUrl: string,
): Handler<unknown> {
  let body: string | undefined;
  return rawHandlerFor<unknown>()(document, async () => {
    body ??= JSON.stringify(openApi(operations, { title: "Carillon", version: "1", serverUrl }));
    return { body };
  });
}
