import { Agent, request } from "node:http";

/** A response with its whole body. */
export interface PlainResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface PlainRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The fields of a form, if there is a body. */
  readonly form?: URLSearchParams | undefined;
}

const agent = new Agent({ keepAlive: true });

/**
 * Sends a request with the headers that `fetch` sends, except that it asks for no compression, and follows no redirect.
 * It needs a third of the processor time of `fetch`, which is a fifth of what a matrix of permissions takes.
 * @throws TypeError with the system's error as its `cause`, as `fetch` does, when there is no whole response
 */
export function sendPlain(
  url: URL,
  { method, headers, form }: PlainRequest,
): Promise<PlainResponse> {
  const body = form?.toString();
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(new TypeError("fetch failed", { cause }));
    const sent = request(
      url,
      {
        agent,
        method,
        headers: {
          accept: "*/*",
          "user-agent": "node",
          ...(body === undefined
            ? {}
            : {
                "content-type": "application/x-www-form-urlencoded;charset=UTF-8",
                "content-length": Buffer.byteLength(body),
              }),
          ...headers,
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("error", fail);
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("end", () => {
          const text = Buffer.concat(parts).toString();
          resolve({
            status: response.statusCode ?? 0,
            text,
            get headers() {
              return headersOf(response.rawHeaders);
            },
          });
        });
      },
    );
    sent.on("error", fail);
    sent.end(body);
  });
}

/** @param raw names and values in turn */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i] ?? "", raw[i + 1] ?? "");
  return headers;
}
