import { errors, parseStrictJson, Unusable } from "@carillon/contract";
import { nextSlice } from "@carillon/kit";

import type { PayloadBody } from "../http/payload.ts";
import type { Integration } from "./integration.ts";

/** Fields of the form, if the body is one. */
interface FormFields {
  readonly payload: string | undefined;
  readonly content: string | undefined;
  readonly topic: string | undefined;
}

/** Values in a payload: parsing so many takes 30 ms. A push of 2,000 commits has 60,000. */
const maxValues = 200_000;

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

/** @throws ApiError `BAD_REQUEST` for other bytes */
function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw errors.badRequest("The body must be JSON in UTF-8");
  }
}

/** Parses JSON in a slice of its own, so that decoding the body and checking the payload are not in the same one. */
async function parseJson(text: string): Promise<unknown> {
  await nextSlice();
  try {
    return parseStrictJson(text, { fractions: true, anyText: true, maxValues });
  } catch (error) {
    if (error instanceof Unusable) throw errors.badRequest(`The payload ${error.message}`);
    throw error;
  } finally {
    await nextSlice();
  }
}
