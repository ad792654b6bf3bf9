import { request } from "node:http";

/** A raw HTTP request. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** What the client omits: it does not read the answer's body, or does not send the end of its own body. */
  readonly halt?: "unread" | "unfinished";
}

/** Milliseconds after which a client that omits something closes the connection. */
const closeMs = 1_500;

/** Sends a request on its own connection. @returns the status, or the reason why there was none */
export function send(
  port: number,
  { method, path, headers = {}, body, halt }: RawRequest,
): Promise<string> {
  return new Promise((resolve) => {
    const known = body === undefined || "content-length" in headers;
    const length = known ? {} : { "content-length": String(body.length) };
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers: { ...headers, ...length }, agent: false },
      (response) => {
        const status = String(response.statusCode);
        if (halt === "unread") return closeLater(status);
        response
          .resume()
          .on("end", () => resolve(status))
          .on("error", () => resolve(status));
      },
    );
    // A server that refuses a large body closes the connection while the body is still being sent.
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "no answer"));
    if (halt !== "unfinished") return void sent.end(body);
    sent.write(body ?? "");
    closeLater("no answer");

    function closeLater(status: string): void {
      setTimeout(() => {
        resolve(status);
        sent.destroy();
      }, closeMs);
    }
  });
}
