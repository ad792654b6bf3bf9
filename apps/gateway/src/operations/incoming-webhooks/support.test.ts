import { readFileSync } from "node:fs";

import type { Answer, GatewayClient, TestAccount } from "@carillon/testkit";

/** Requests of another program, for the tests of this folder; no tests are in this file. */

export interface Hook {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text and bytes are sent as they are, other values as JSON. */
  readonly body?: unknown;
}

/** Posts a payload with the bot's key in the address, or without any. */
export function post(
  client: GatewayClient,
  integration: string,
  bot: Pick<TestAccount, "apiKey"> | undefined,
  { query = {}, headers = {}, body = {} }: Hook = {},
): Promise<Answer> {
  const parameters = new URLSearchParams({ ...(bot && { api_key: bot.apiKey }), ...query });
  return client.send("POST", `/api/v1/external/${integration}?${parameters}`, {
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body),
  });
}

/** Returns the payload of a fixture of an integration. */
export function payloadOf(path: string): unknown {
  const url = new URL(`../../webhooks/integrations/${path}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8"));
}
