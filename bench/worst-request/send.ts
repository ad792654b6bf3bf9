import { request } from "node:http";

/** A raw HTTP request. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** Sends it on its own connection. @returns the status, or why there was none */
export function send(
  port: number,
  { method, path, headers = {}, body }: RawRequest,
): Promise<string> {
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers: { ...headers, ...length }, agent: false },
      (response) => {
        const status = String(response.statusCode);
        response
          .resume()
          .on("end", () => resolve(status))
          .on("error", () => resolve(status));
      },
    );
    // A server that refuses a large body closes the connection while the body is still being sent.
    sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "no answer"));
    sent.end(body);
  });
}
