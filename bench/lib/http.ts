import type { FormRequest } from "./requests.ts";

/**
 * Sends a request to a server on this machine and returns its answer.
 * @throws Error when the server refuses the request
 */
export async function ask<Answer>(
  port: number,
  { path, ...request }: FormRequest | (RequestInit & { readonly path: string }),
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`refused: ${text}`);
  return JSON.parse(text) as Answer;
}
