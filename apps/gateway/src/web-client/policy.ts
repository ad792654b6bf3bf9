import { isIP } from "node:net";

/** What the page of the browser client may load and do, for its address. */
export interface PolicyOptions {
  /** The address that clients use: `PUBLIC_URL`. */
  readonly serverUrl: string;
  /** Pictures elsewhere that the client shows, such as the icon of the identity provider. */
  readonly pictures?: readonly string[];
}

/** Profile pictures of accounts without an uploaded one (users.md §2). */
const gravatar = "https://secure.gravatar.com";

/**
 * Makes the headers of the page. Scripts and styles are files of the gateway, without exception; requests go to the
 * server's organizations only, so that a script that got into the page could send nothing elsewhere.
 */
export function pageHeaders({
  serverUrl,
  pictures = [],
}: PolicyOptions): Readonly<Record<string, string>> {
  const own = ["'self'", ...organizationsAt(new URL(serverUrl))].join(" ");
  const elsewhere = [gravatar, ...pictures.map((address) => new URL(address).origin)];
  return {
    "Content-Security-Policy": [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      // Files that need credentials are fetched by the script, and shown from memory.
      `img-src ${own} data: blob: ${[...new Set(elsewhere)].join(" ")}`,
      `media-src ${own} blob:`,
      `connect-src ${own}`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "X-Frame-Options": "DENY",
    // The pages of the gateway that the client links to check the origin of their forms.
    "Referrer-Policy": "same-origin",
  };
}

/** Returns the origins of all organizations of a server: its host, and those below it. An IP address has none below it. */
function organizationsAt({ protocol, host, hostname }: URL): string[] {
  const isNumber = isIP(hostname.replaceAll(/[[\]]/g, "")) !== 0;
  return isNumber ? [`${protocol}//${host}`] : [`${protocol}//${host}`, `${protocol}//*.${host}`];
}
