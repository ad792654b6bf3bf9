import { createHash } from "node:crypto";
import type { RawReply } from "../http/handler.ts";

const style =
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;overflow-wrap:anywhere}" +
  "button{font:inherit;padding:.5rem 1rem}";

const headers = {
  "Content-Type": "text/html; charset=utf-8",
  // The page's URL is the secret that confirms: it must not be cached or sent to another server.
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

/** Makes the page of the mailed link: its button sends `POST` to the same URL, without a script. */
export function newEmailPage({
  organization,
  oldAddress,
  newAddress,
}: {
  readonly organization: string;
  readonly oldAddress: string;
  readonly newAddress: string;
}): RawReply {
  return page(
    "Confirm your new e-mail address",
    `<p>The account <b>${escape(oldAddress)}</b> at ${escape(organization)} is to have the e-mail address
      <b>${escape(newAddress)}</b>.</p>
    <form method="post"><button type="submit">Confirm the address</button></form>
    <p>If you have not asked for this, close the page: nothing changes.</p>`,
  );
}

/** Makes the page after the confirmation. */
export function confirmedEmailPage(address: string): RawReply {
  return page(
    "Your e-mail address is confirmed",
    `<p>Log in with <b>${escape(address)}</b> from now on.</p>`,
  );
}

function page(title: string, content: string): RawReply {
  return {
    headers,
    body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body>
    <h1>${title}</h1>
    ${content}
  </body>
</html>
`,
  };
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
