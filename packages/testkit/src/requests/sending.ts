import type { AnswerBody, GatewayClient, Params } from "../gateway-client.ts";
import type { TestAccount } from "../factories/account.ts";
import { expect } from "chai";
import { succeeded } from "./answers.ts";
import { refused } from "./refusal.ts";
import type { Scene } from "../scene.ts";

export const messagesPath = "/api/v1/messages";

/** Parameters of a message to a channel. */
export function toChannel(to: unknown, over: Params = {}): Params {
  return { type: "channel", to, topic: "lunch", content: "hello", ...over };
}

/** Parameters of a direct message. */
export function toUsers(to: unknown, over: Params = {}): Params {
  return { type: "direct", to, content: "hello", ...over };
}

/** Sends a message, expects success, and returns the whole response. */
export async function sendFully(
  client: GatewayClient,
  params: Params,
): Promise<{ readonly id: number; readonly automatic_new_visibility_policy?: number }> {
  const body = succeeded(await client.post(messagesPath, params));
  expect(body["id"]).to.be.a("number");
  return body as never;
}

/** Sends a message; expects success. */
export async function send(client: GatewayClient, params: Params): Promise<number> {
  return (await sendFully(client, params)).id;
}

/** Expects that the request is refused with this error and changes nothing. */
export function sendRefused(
  scene: Scene,
  account: TestAccount,
  params: Params,
  code = "BAD_REQUEST",
  extra: Readonly<Record<string, unknown>> = {},
): Promise<AnswerBody> {
  const ask = () => scene.as(account).post(messagesPath, params);
  return refused(scene.db, ask, code, extra);
}
