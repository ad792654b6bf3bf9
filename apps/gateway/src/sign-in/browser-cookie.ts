import type { IncomingHttpHeaders } from "node:http";

import { newSignInKey } from "@carillon/domain";

import { cookieOf } from "../http/form-guard.ts";

/** Seconds that a sign-in may take. */
const maxAge = 600;

const valueShape = /^[A-Za-z0-9]{32}$/;

/** Returns the value of the cookie that ties sign-ins to a browser; undefined if the browser has none. */
export function browserOf(url: string, headers: IncomingHttpHeaders): string | undefined {
  const value = cookieOf(headers.cookie, nameAt(url));
  return value !== undefined && valueShape.test(value) ? value : undefined;
}

/**
 * Makes the cookie for a browser that begins a sign-in. A browser that has one keeps it, so that sign-ins in two windows
 * do not disturb each other.
 * @param url the organization's URL
 */
export function browserCookie(
  url: string,
  headers: IncomingHttpHeaders,
): { readonly value: string; readonly setCookie: string } {
  const value = browserOf(url, headers) ?? newSignInKey();
  const secure = isSecure(url) ? "; Secure" : "";
  // Lax: the browser must send it when the provider's page leads back here.
  const setCookie = `${nameAt(url)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
  return { value, setCookie };
}

/** The prefix makes browsers refuse a cookie of that name from another host of the domain. */
function nameAt(url: string): string {
  return isSecure(url) ? "__Host-carillon-sign-in" : "carillon-sign-in";
}

function isSecure(url: string): boolean {
  return url.startsWith("https:");
}
