import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { errors } from "@carillon/contract";
import { randomKey } from "@carillon/kit";
import type { Secrets } from "@carillon/model";

/**
 * Ties the forms of pages to the browser that has opened them (people.md §8): a form holds a token that fits a cookie,
 * which browsers do not send with requests that other sites cause.
 */
export interface FormGuard {
  /** The value of the field `csrf_token`. */
  readonly token: string;
  /** The `Set-Cookie` header, if the browser has no usable cookie yet. */
  readonly setCookie: string | undefined;
  /**
   * Checks a sent form.
   * @throws ApiError 403 if another site has caused the request, or if the token does not fit the cookie
   */
  check(sent: { readonly csrf_token: string }): void;
}

const valueShape = /^[A-Za-z0-9]{32}$/;

/**
 * Makes the guard of one request.
 * @param url the organization's URL, at which its pages are
 */
export function formGuard(
  secrets: Pick<Secrets, "digest">,
  url: string,
  headers: IncomingHttpHeaders,
): FormGuard {
  const { origin, protocol } = new URL(url);
  const isSecure = protocol === "https:";
  // The prefix makes browsers refuse a cookie of that name from another host of the domain.
  const name = isSecure ? "__Host-carillon-form" : "carillon-form";
  const sent = cookieOf(headers.cookie, name);
  const isUsable = sent !== undefined && valueShape.test(sent);
  const value = isUsable ? sent : randomKey(32);
  const token = Buffer.from(secrets.digest(`form ${value}`)).toString("base64url");
  return {
    token,
    setCookie: isUsable
      ? undefined
      : `${name}=${value}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`,
    check({ csrf_token: given }) {
      checkSender(origin, headers);
      if (!isUsable || !areEqual(given, token))
        throw errors.forbidden(
          "The form is out of date, or your browser refuses cookies: open the page again, and send the form once more.",
        );
    },
  };
}

/**
 * Checks what browsers say about the page that sends a form.
 * @throws ApiError 403
 */
function checkSender(origin: string, headers: IncomingHttpHeaders): void {
  const site = headers["sec-fetch-site"];
  const isSame = headers.origin === origin;
  // Browsers hide the origin where an extension or a setting forbids it, but still say whether it is the same.
  const isHidden = headers.origin === "null" && site === "same-origin";
  if (site === "cross-site" || (headers.origin !== undefined && !isSame && !isHidden))
    throw errors.forbidden(
      `Forms are accepted only from the pages of this server: open them at ${origin}.`,
    );
}

/** Returns the value of a cookie. Of several with the name, the first is the one with the longest path. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const at = part.indexOf("=");
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

function areEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
