import type { FormRequest } from "./requests.ts";

/**
 * The answer of a process on this machine.
 * @throws Error when it refuses
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
