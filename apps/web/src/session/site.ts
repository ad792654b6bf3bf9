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
 * Parses the address of an organization that a person has typed. Adds `https` if the text has no protocol.
 * @returns undefined if the text is not an address
 */
export function typedSite(text: string): string | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, origin, pathname } = new URL(address);
  // Some browsers accept a space in the host and encode it.
  if (hostname.includes("%")) return undefined;
  return withoutSlash(origin + pathname);
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "");
}
