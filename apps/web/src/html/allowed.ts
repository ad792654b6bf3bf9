/** Attributes by element. */
type Allowed = Readonly<Record<string, ReadonlySet<string>>>;

/** What the server's renderer writes outside formulas, and what formulas have in HTML. */
const html = table({
  "p br hr h1 h2 h3 h4 h5 h6 ul li blockquote table thead tbody tr pre code strong em del": "",
  ol: "start",
  "th td": "data-style",
  a: "class data-stream-id href title",
  time: "datetime",
  img: "alt class data-animated data-original-content-type data-original-dimensions data-original-src src title",
  video: "preload src",
  audio: "controls preload src title",
  div: "aria-hidden class data-code-language",
  span: "aria-hidden aria-label class data-style data-user-group-id data-user-id role title",
});

/** What KaTeX writes for screen readers. */
const math = table({
  "math semantics mrow mi mn mo mtext mspace ms msup msub msubsup mfrac msqrt mroot munder mover munderover mtable mtr mtd mlabeledtr mstyle mpadded menclose mphantom":
    "accent accentunder class columnalign columnlines columnspacing data-style depth display displaystyle encoding fence form height " +
    "largeop linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation " +
    "rowlines rowspacing rspace scriptlevel separator side stretchy symmetric voffset width xmlns",
  annotation: "encoding",
});

/** Roots, arrows and braces of KaTeX. */
const svg = table({
  svg: "data-style height preserveAspectRatio viewBox width xmlns",
  path: "d",
  line: "stroke-width x1 x2 y1 y2",
});

const byNamespace = new Map<string | null, Allowed>([
  ["http://www.w3.org/1999/xhtml", html],
  ["http://www.w3.org/1998/Math/MathML", math],
  ["http://www.w3.org/2000/svg", svg],
]);

/** Returns the attributes that a parsed element may have, its style as `data-style`; undefined if the renderer never writes such an element. */
export function allowedAttributes({
  namespaceURI,
  localName,
}: Pick<Element, "namespaceURI" | "localName">): ReadonlySet<string> | undefined {
  const allowed = byNamespace.get(namespaceURI);
  return allowed && Object.hasOwn(allowed, localName) ? allowed[localName] : undefined;
}

/** Properties that alignment of cells and KaTeX's layout need. None of them loads anything. */
export const allowedProperties: ReadonlySet<string> = new Set(
  (
    "background-color border-bottom-width border-color border-right-style border-right-width border-style " +
    "border-top-width border-width bottom color height left margin margin-left margin-right margin-top min-width " +
    "padding-left position text-align text-shadow top vertical-align width"
  ).split(" "),
);

/** Schemes that links may have: those of the renderer (rendering.md §6). */
const schemes: ReadonlySet<string> = new Set(
  (
    "http https ftp ftps sftp mailto tel sms smsto geo magnet xmpp ssh irc ircs news nntp matrix im sip sips bitcoin " +
    "webcal urn mid cid git svn callto facetime gemini gopher ldap ldaps mumble openpgp4fpr payto rtsp sgn skype tg " +
    "ts3server web+matrix wtai zoommtg"
  ).split(" "),
);

/** Returns whether the target of a link has one of the allowed schemes, or none. */
export function isAllowedTarget(address: string): boolean {
  // A control character, which browsers ignore in schemes, makes a scheme that is not in the list.
  const scheme = /^([^/?#]*?):/.exec(address)?.[1];
  return scheme === undefined || schemes.has(scheme.toLowerCase());
}

/** Returns whether an address is a path of the organization's server. */
export function isOwnPath(address: string): boolean {
  return /^\/(?![/\\])/.test(address);
}

function table(rows: Readonly<Record<string, string>>): Allowed {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([names, attributes]) =>
      names.split(" ").map((name) => [name, new Set(attributes.split(" "))] as const),
    ),
  );
}
