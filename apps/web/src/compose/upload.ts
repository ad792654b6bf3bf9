import type { Organization } from "../store/organization.ts";
import { texts } from "../texts.ts";

/** A file on its way to the server. */
export interface Upload {
  readonly name: string;
  readonly onProgress: (fraction: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Uploads a file with XMLHttpRequest, because `fetch`, which the API client uses, does not report progress.
 * @returns the path of the file on the server
 * @throws Error with the server's message
 */
export function upload(organization: Organization, file: File, options: Upload): Promise<string> {
  const { site, email, apiKey } = organization.credentials;
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("file", file, options.name);
  return new Promise((resolve, reject) => {
    request.open("POST", `${site}/api/v1/user_uploads`);
    const bytes = new TextEncoder().encode(`${email}:${apiKey}`);
    request.setRequestHeader("Authorization", `Basic ${btoa(String.fromCharCode(...bytes))}`);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
      if (lengthComputable && total > 0) options.onProgress(loaded / total);
    });
    request.addEventListener("load", () => {
      const answer = (request.response ?? {}) as { url?: string; msg?: string };
      if (request.status === 200 && answer.url) resolve(answer.url);
      else reject(new Error(answer.msg ?? `HTTP ${request.status}`));
    });
    request.addEventListener("error", () => reject(new Error(texts.session.noAnswer)));
    request.addEventListener("abort", () => reject(new Error("aborted")));
    options.signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
