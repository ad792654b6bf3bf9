import { ProviderUnavailable } from "./provider-errors.ts";

/** Bytes of one answer after decompression. Discovery documents and sets of keys have about 10 KiB. */
const maxBytes = 256 * 1024;

/**
 * Calls the identity provider, and reads the whole answer before it returns. Follows no redirects.
 * @param signal ends the call, together with the signal in `options`
 * @throws ProviderUnavailable if there is no answer, or one that is too large or reports a failure of the provider
 */
export async function boundedFetch(
  url: string,
  options: RequestInit,
  signal: AbortSignal,
): Promise<Response> {
  const { origin } = new URL(url);
  const ends = options.signal ? AbortSignal.any([options.signal, signal]) : signal;
  try {
    const response = await fetch(url, { ...options, redirect: "manual", signal: ends });
    const { status, headers } = response;
    if (status >= 500 || status === 429) {
      await response.body?.cancel();
      throw new ProviderUnavailable(`${origin} answers with status ${status}`);
    }
    const body = await readAll(response, origin);
    return new Response(body.length === 0 ? null : body, { status, headers });
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error;
    throw new ProviderUnavailable(`${origin} does not answer`, { cause: error });
  }
}

async function readAll(response: Response, origin: string): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > maxBytes)
      throw new ProviderUnavailable(`an answer of ${origin} has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Uint8Array.from(Buffer.concat(pieces));
}
