import { type ClientHttp2Session, constants, type OutgoingHttpHeaders } from "node:http2";

/** Result of a request. `lost`: unknown whether the server processed it; `notProcessed`: it certainly did not. */
export type Reply =
  | { readonly status: number; readonly body: string }
  | { readonly lost: string }
  | { readonly notProcessed: string };

/** Limit of an answer's body. */
const maxBytes = 10_000;

/**
 * Sends one request and reads its answer. Never throws.
 * @param timeoutMs time limit of the answer
 */
export function send(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body: string,
  timeoutMs: number,
): Promise<Reply> {
  return new Promise((resolve) => {
    let stream: ReturnType<ClientHttp2Session["request"]>;
    try {
      stream = session.request(headers);
    } catch (error) {
      resolve({ notProcessed: codeOf(error) });
      return;
    }
    let status = 0;
    let text = "";
    let late = false;
    let unread = false;
    let failure: string | undefined;
    const timer = setTimeout(() => {
      late = true;
      stream.close(constants.NGHTTP2_CANCEL);
    }, timeoutMs);
    // The server has not processed streams above the last one it names (RFC 9113 §6.8).
    const onGoaway = (_code: number, lastStream: number) => {
      if (stream.id === undefined || stream.id > lastStream) unread = true;
    };
    session.on("goaway", onGoaway);
    stream.setEncoding("utf8");
    stream.on("response", (answer) => (status = Number(answer[":status"])));
    stream.on("data", (chunk: string) => {
      if (text.length < maxBytes) text += chunk;
    });
    stream.on("error", (error) => (failure = codeOf(error)));
    stream.on("close", () => {
      clearTimeout(timer);
      session.off("goaway", onGoaway);
      if (status !== 0) resolve({ status, body: text });
      else if (unread || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM)
        resolve({ notProcessed: "not taken" });
      else if (late) resolve({ lost: "ETIMEDOUT" });
      else resolve({ lost: failure ?? "ECONNRESET" });
    });
    stream.end(body);
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}
