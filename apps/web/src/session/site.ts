/**
 * Returns the address of the server whose API this client calls: that of the page, unless the page was put on another
 * origin and names it: `<meta name="carillon-server" content="https://chat.example.org">`.
 */
export function siteOf(page: Document): string {
  const named = page.querySelector<HTMLMetaElement>('meta[name="carillon-server"]')?.content;
  // The folder of the page: the address of a server may have a path.
  return withoutSlash(named || new URL(".", page.location.href).href);
}

/**
 * Reads the address of an organization that a person has typed; `https` is added where no protocol is given.
 * @returns undefined for a text that is no address
 */
export function typedSite(text: string): string | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, origin, pathname } = new URL(address);
  // Some browsers encode a space in the host and go on.
  if (hostname.includes("%")) return undefined;
  return withoutSlash(origin + pathname);
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}
