const TEXT = /^[^<>"]*$/;
const ID = /^\d+$/;
/** The elements that the renderer may emit outside formulas: attributes in this order, values matching the pattern. */
export const allowedElements: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  p: {},
  br: {},
  hr: {},
  h1: {},
  h2: {},
  h3: {},
  h4: {},
  h5: {},
  h6: {},
  ul: {},
  ol: { start: ID },
  li: {},
  blockquote: {},
  table: {},
  thead: {},
  tbody: {},
  tr: {},
  th: { style: /^text-align: (?:left|right|center);$/ },
  td: { style: /^text-align: (?:left|right|center);$/ },
  pre: {},
  code: {},
  strong: {},
  em: {},
  del: {},
  a: {
    class: /^(?:stream|stream-topic|message-link)$/,
    "data-stream-id": ID,
    href: /^(?:https?:\/\/|ftp:|mailto:|tel:|\/(?![/\\])|#|user_uploads\/)/i,
  },
  time: { datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ },
  img: { alt: /^:[\w+-]+:$/, class: /^emoji$/, src: /^\//, title: TEXT },
  div: {
    class: /^(?:codehilite|spoiler-block|spoiler-header|spoiler-content)$/,
    "aria-hidden": /^true$/,
    "data-code-language": TEXT,
  },
  span: {
    "aria-label": TEXT,
    class:
      /^(?:k[cdnprt]?|n[abcdfintvx]?|s[12bcdrs]?|m[bfhio]?|c[1hmp]|ow?|p|fm|bp|vi|g[diu]|emoji emoji-[0-9a-f-]+|tex-error|user-mention(?: channel-wildcard-mention)?(?: silent)?|topic-mention(?: silent)?|user-group-mention(?: silent)?)$/,
    "data-user-id": /^(?:\d+|\*)$/,
    "data-user-group-id": ID,
    role: /^img$/,
    title: TEXT,
  },
};

const VOID: ReadonlySet<string> = new Set(["br", "hr", "img"]);
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>/y;
const ATTRIBUTE = / ([a-z-]+)="([^"]*)"/g;

/**
 * Returns why the renderer may not emit `html`, or `undefined` if it may. Stricter than a browser:
 * every `<` must begin a known element with known attributes, all elements must be closed in order,
 * and every `&` must begin an entity.
 */
export function findFault(html: string): string | undefined {
  const open: string[] = [];
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", TAG.lastIndex)) {
    TAG.lastIndex = at;
    const match = TAG.exec(html);
    if (match === null) return `a stray < at ${at}: ${html.slice(at, at + 60)}`;
    const [, slash, name = "", attributes = ""] = match;
    if (slash === "/") {
      if (attributes !== "" || open.pop() !== name) return `</${name}> closes something else`;
      continue;
    }
    const fault = attributeFault(name, attributes);
    if (fault !== undefined) return fault;
    if (!VOID.has(name)) open.push(name);
  }
  if (open.length > 0) return `${open.join(", ")} not closed`;
  const text = html.replace(/<[^>]*>/g, "");
  if (text.includes(">")) return "a stray >";
  const bare = /&(?!#\d+;|#x[0-9a-f]+;|[a-z][a-z0-9]*;)/i.exec(html);
  return bare === null ? undefined : `a bare & at ${bare.index}`;
}

function attributeFault(element: string, attributes: string): string | undefined {
  const allowed = Object.hasOwn(allowedElements, element) ? allowedElements[element] : undefined;
  if (allowed === undefined) return `element ${element}`;
  const seen = new Set<string>();
  for (const [, name = "", value = ""] of attributes.matchAll(ATTRIBUTE)) {
    if (seen.has(name)) return `${element} has ${name} twice`;
    seen.add(name);
    const pattern = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (pattern === undefined || !pattern.test(value)) {
      return `${element} ${name}="${value}"`;
    }
  }
  return undefined;
}
