import { errors } from "@carillon/contract";

import type { PayloadBody } from "../http/payload.ts";
import type { Integration } from "./integration.ts";
import { parseJson } from "./parse-json.ts";

/** Fields of the form, if the body is one. */
interface FormFields {
  readonly payload: string | undefined;
  readonly content: string | undefined;
  readonly topic: string | undefined;
}

/**
 * Decodes the body of a webhook (bot-platform.md §1.1).
 * @throws ApiError `BAD_REQUEST` for text that is not JSON, or is too deep; `REQUEST_VARIABLE_MISSING` for a form without
 *   a payload
 */
export async function decodePayload(
  { takesText }: Pick<Integration, "takesText">,
  { kind, bytes }: PayloadBody,
  form: FormFields,
): Promise<unknown> {
  if (kind === "form") {
    const { payload, content } = form;
    if (payload !== undefined) return parseJson(payload);
    if (takesText && content !== undefined) return { content };
    throw errors.requestVariableMissing(takesText ? "content" : "payload");
  }
  if (kind === "text" && takesText) return { content: new TextDecoder().decode(bytes) };
  return parseJson(utf8(bytes));
}

/** Decodes UTF-8, or throws ApiError `BAD_REQUEST` for other bytes. */
function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw errors.badRequest("The body must be JSON in UTF-8");
  }
}
