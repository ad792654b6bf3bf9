import { parsedJson } from "@carillon/kit";
import type { Agent } from "undici";
import { connectMs, handoverMs } from "../provider.ts";

/** A server's answer, or why there is none. */
export type Reply =
  | { readonly status: number; readonly body: unknown }
  /** `notSent`: the connection failed, so the server has not received the request. */
  | { readonly failed: string; readonly notSent: boolean };

/** Errors before anything was sent: DNS, connecting, TLS. */
const beforeSending =
  /^(UND_ERR_CONNECT_TIMEOUT|ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|DEPTH_ZERO_\w+)$/;

/** Connections to one server. */
const connections = 100;

/** Limit of an answer, in bytes. */
const maxBytes = 100_000;

/**
 * Creates the HTTP connections to a provider.
 * @param timeoutMs time limit of an answer
 */
export async function httpAgent(timeoutMs: number): Promise<Agent> {
  const { Agent } = await import("./undici.ts");
  return new Agent({
    connections,
    connect: { timeout: connectMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxBytes,
  });
}

/** Posts and reads a JSON answer; a malformed body is `undefined`. Never throws. */
export async function post(
  agent: Agent,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Reply> {
  const { request } = await import("./undici.ts");
  try {
    const answer = await request(url, {
      method: "POST",
      dispatcher: agent,
      headers,
      body,
      signal: AbortSignal.timeout(connectMs + handoverMs),
    });
    return { status: answer.statusCode, body: parsedJson(await answer.body.text()) };
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    const why = code === undefined || typeof code !== "string" ? name : code;
    return { failed: why, notSent: beforeSending.test(why) };
  }
}
