import { errors, openApi, type Operation } from "@carillon/contract";
import { whenNeeded } from "@carillon/kit";
import { rawHandlerFor, type Handler } from "../http/handler.ts";
import { KeptBody } from "../http/kept-body.ts";
import {
  getOpenApiDocument,
  getReference,
  getReferenceFile,
  getReferenceWithSlash,
} from "./operations.ts";

/**
 * Makes handlers for the reference page, the files that it loads, and the OpenAPI document; each answer is made on its
 * first request.
 * @param serverUrl the address that clients use
 */
export function referenceHandlers(
  operations: readonly Operation[],
  serverUrl: string,
): Handler<unknown>[] {
  const handle = rawHandlerFor<unknown>();
  const document = whenNeeded(() =>
    KeptBody.of(
      "application/json",
      JSON.stringify(openApi(operations, { title: "Carillon", version: "1", serverUrl })),
    ),
  );
  const files = whenNeeded(async () => (await import("./files.ts")).referenceFiles());
  return [
    handle(getReference, async () => {
      const { page, pageHeaders } = await files();
      return { headers: pageHeaders, body: page };
    }),
    // A redirect: the page's addresses are relative to the folder above.
    handle(getReferenceWithSlash, async () => ({
      status: 302,
      headers: { Location: "../api" },
      body: "",
    })),
    handle(getReferenceFile, async ({ path }) => {
      const file = (await files()).others.get(path.file);
      if (!file) throw errors.notFound();
      return { body: file };
    }),
    handle(getOpenApiDocument, async () => ({ body: await document() })),
  ];
}
