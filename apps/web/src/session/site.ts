/**
 * Returns the address of the server whose API this client calls: that of the page, unless the page was put on another
 * origin and names it: `<meta name="carillon-server" content="https://chat.example.org">`.
 */
export function siteOf(page: Document): string {
  const named = page.querySelector<HTMLMetaElement>('meta[name="carillon-server"]')?.content;
  // The folder of the page: the address of a server may have a path.
  return (named || new URL(".", page.location.href).href).replace(/\/+$/, "");
}
