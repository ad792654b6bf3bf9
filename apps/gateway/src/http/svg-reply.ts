import type { RawReply } from "./handler.ts";

/** Creates the answer with a drawing that is part of the server. Caches may keep it for a day. */
export function svgReply(body: string): RawReply {
  return {
    headers: {
      "Content-Type": "image/svg+xml",
      "Cache-Control": "public, max-age=86400",
      "X-Content-Type-Options": "nosniff",
    },
    body,
  };
}
