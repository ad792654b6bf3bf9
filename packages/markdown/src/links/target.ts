import { unescape } from "node:querystring";
import { wholeUrl } from "./find-urls.ts";

/** Schemes that cannot run script (rendering.md §6). */
const SCHEMES: ReadonlySet<string> = new Set(
  (
    "http https ftp ftps sftp mailto tel sms smsto geo magnet xmpp ssh irc ircs news nntp matrix im " +
    "sip sips bitcoin webcal urn mid cid git svn callto facetime gemini gopher ldap ldaps mumble " +
    "openpgp4fpr payto rtsp sgn skype tg ts3server web+matrix wtai zoommtg"
  ).split(" "),
);

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/**
 * Returns the link target of `[text](destination)`: an allowed scheme, a path of this server, a fragment, a bare domain or
 * an e-mail address; `undefined` for anything else.
 */
export function linkTarget(destination: string): string | undefined {
  const target = destination.trim().replaceAll(" ", "%20");
  // eslint-disable-next-line no-control-regex -- browsers drop control characters, so `java\nscript:` is a scheme to them
  if (target === "" || /[\u0000-\u0020\u007f-\u009f]/.test(target)) return undefined;
  const scheme = SCHEME.exec(target)?.[1]?.toLowerCase();
  if (scheme !== undefined) return SCHEMES.has(scheme) ? target : undefined;
  if (/^(?:\/(?![/\\])|#|user_uploads\/)/.test(target)) return target;
  return wholeUrl(target);
}

/** Returns `href` as stored: relative if it leads into this organization (rendering.md §6). */
export function localHref(href: string, organizationUrl: string): string {
  if (organizationUrl === "" || !href.startsWith(`${organizationUrl}/`)) return href;
  const path = href.slice(organizationUrl.length + 1);
  return /^(?:#narrow|user_uploads\/)/.test(path) ? path : href;
}

/** An uploaded file in a URL: of this server, or of a server that `localHref` has yet to compare. */
const UPLOAD = /^(?:https?:\/\/[^/?#]+\/|\/)?user_uploads\/(\d+\/[^?#]+)/;

/** Returns the `path_id` of the uploaded file that a link targets (files.md §1); undefined for other links. */
export function uploadPath(href: string): string | undefined {
  const path = UPLOAD.exec(href)?.[1];
  return path?.includes("%") ? unescape(path) : path;
}
