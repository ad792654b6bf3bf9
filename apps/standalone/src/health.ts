import { get, type OutgoingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

/** Resolves when `GET url` answers 200. */
export async function healthy(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { status } = await ask(url, { signal: AbortSignal.timeout(3_000) });
      if (status === 200) return;
    } catch {
      // Not yet.
    }
    await pause(20);
  }
}

/**
 * Sends `GET url` without `fetch`, which loads 8 MB of code.
 * @throws Error when no complete answer arrives, or `signal` is aborted before
 */
export function ask(
  url: string,
  options: { signal: AbortSignal; headers?: OutgoingHttpHeaders },
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { ...options, agent: false }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, body }),
        (error: Error) => reject(error),
      );
    }).on("error", reject);
  });
}

/** Returns the local address of a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const everywhere: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
  const name = everywhere[host] ?? (host.includes(":") ? `[${host}]` : host);
  return `http://${name}:${port}`;
}
