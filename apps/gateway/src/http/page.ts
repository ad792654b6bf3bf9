import { createHash } from "node:crypto";
import { ApiError } from "@carillon/contract";
import { Html, html } from "@carillon/kit";
import { headersOf, statusOf } from "./error-response.ts";
import type { RawReply } from "./handler.ts";

const style =
  ":root{color-scheme:light dark}" +
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}" +
  "h1{font-size:1.5rem;line-height:1.25}" +
  // The usual colours of links are too dim in dark mode.
  "a{color:inherit}" +
  "label{display:block;font-weight:600}" +
  "label.box{font-weight:400}" +
  "input,button{font:inherit;box-sizing:border-box;padding:.5rem .75rem;min-height:2.75rem}" +
  "input{width:100%}" +
  "input[type=checkbox]{width:1.25rem;min-height:0;height:1.25rem;margin-right:.5rem;vertical-align:middle}" +
  "input[aria-invalid=true]{outline:2px solid #c22}" +
  ":focus-visible{outline:3px solid #36c;outline-offset:2px}" +
  "small{display:block}" +
  ".problem{font-weight:600;border-left:.25rem solid #c22;padding-left:.75rem}";

/** Its text is exactly the one whose digest is in the policy. */
const styleElement = new Html(`<style>${style}</style>`);

/**
 * Headers of every page (people.md §8). A page's URL may be a secret: it is neither cached nor sent to another server.
 */
const headers = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** A page for people. */
export interface PageContent {
  /** The heading, and the title of the window. */
  readonly title: string;
  readonly body: Html;
  /** 200 unless given */
  readonly status?: number;
  /** In addition to those of every page. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Makes a page without scripts, pictures and files. `meta name="referrer"` lets browsers name the origin, and never the
 * path, in form submissions: under `no-referrer` alone they send `Origin: null`, which a forged request may have too.
 */
export function page({ title, body, status = 200, headers: more }: PageContent): RawReply {
  return {
    status,
    headers: { ...headers, ...more },
    body: html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="referrer" content="strict-origin" />
          <title>${title}</title>
          ${styleElement}
        </head>
        <body>
          <main>
            <h1>${title}</h1>
            ${body}
          </main>
        </body>
      </html> `.text,
  };
}

/**
 * Sends the browser to another page of the organization after a form was accepted, so that reloading sends nothing again.
 * @param path absolute, without a host; or the organization's own address and more
 */
export function redirect(path: string): RawReply {
  const { "Content-Type": _none, ...usual } = headers;
  return {
    status: 303,
    headers: { ...usual, "Content-Type": "text/plain; charset=utf-8", Location: path },
    body: "",
  };
}

/** Makes a text file that the browser saves. */
export function file(name: string, text: string): RawReply {
  return {
    headers: {
      ...headers,
      "Content-Type": "text/plain; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}"`,
    },
    body: text,
  };
}

/** Titles and texts of refusals by status; other statuses show the text of the error. */
const refusals: Readonly<Record<number, { readonly title: string; readonly text?: string }>> = {
  400: { title: "This was not accepted" },
  403: { title: "This was not accepted" },
  // One text, so that the answer does not tell unknown keys from used ones.
  404: {
    title: "This page does not exist",
    text: "The link may be incomplete, used already, withdrawn or expired. Ask for a new one.",
  },
  405: { title: "This was not accepted" },
  413: { title: "This was too large" },
  429: { title: "Too many requests" },
};

/** Makes the page of a refused request. */
export function refusalPage(error: ApiError): Required<Pick<RawReply, "status" | "headers">> & {
  readonly body: string;
} {
  const status = statusOf(error);
  const { title, text = error.message } = refusals[status] ?? {
    title: "The server cannot answer now",
  };
  const made = page({
    title,
    body: html`<p>${text}</p>`,
    status,
    headers: headersOf(error),
  });
  return { status, headers: made.headers ?? {}, body: made.body as string };
}

/**
 * Returns why a value of a form cannot be accepted, for the form that is shown again.
 * @throws the error itself if it is anything else
 */
export function problemOf(error: unknown): string {
  if (error instanceof ApiError && statusOf(error) === 400) return error.message;
  throw error;
}
