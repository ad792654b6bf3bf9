import { type DefaultTreeAdapterTypes as Tree, parseFragment, type ParserError } from "parse5";
import { allowedElements } from "./html-check.test.ts";

/** The DOM that a browser builds from some HTML. */
export interface ReadHtml {
  /** The faults, one line each. */
  readonly faults: readonly string[];
  readonly elements: readonly Tree.Element[];
  /** Each text node outside formulas. */
  readonly texts: readonly string[];
  /** All places that may contain user text: text nodes, also of formulas, and attribute values. */
  readonly everything: string;
}

/** KaTeX's elements, with attributes that neither load nor run anything. */
const MATH =
  /^(?:span|math|semantics|annotation|svg|path|line|m(?:row|i|o|n|s|text|space|frac|sqrt|root|sub|sup|subsup|under|over|underover|table|tr|td|labeledtr|style|padded|phantom|enclose|multiscripts))$/;
const MATH_ATTRIBUTE =
  /^(?:class|style|title|aria-hidden|encoding|xmlns|display|displaystyle|scriptlevel|math\w+|stretchy|fence|separator|accent|accentunder|\w?space|minsize|maxsize|width|height|depth|voffset|linethickness|row\w+|column\w+|notation|viewBox|preserveAspectRatio|d|x[12]|y[12]|stroke-width|symmetric|movablelimits|largeop|side|align)$/;
const MATH_STYLE = /^[-\w:;.,%# ()]*$/;

/** Characters that a text may contain although browsers show nothing for them. */
const IN_TEXT: ReadonlySet<string> = new Set([
  "control-character-in-input-stream",
  "noncharacter-in-input-stream",
]);

/** Parses HTML like a browser, and compares all of it with what the renderer may emit. */
export function readHtml(html: string): ReadHtml {
  const faults: string[] = [];
  const elements: Tree.Element[] = [];
  const texts: string[] = [];
  const math: string[] = [];
  const onParseError = ({ code, startOffset }: ParserError): void =>
    void (IN_TEXT.has(code) || faults.push(`${code} at ${startOffset}`));
  const visit = (node: Tree.Node, inMath: boolean): void => {
    if ("value" in node) (inMath ? math : texts).push(node.value);
    else if ("tagName" in node) {
      elements.push(node);
      const isMath = inMath || attribute(node, "class").startsWith("katex");
      faults.push(...(isMath ? mathFaults(node) : elementFaults(node)));
      for (const child of node.childNodes) visit(child, isMath);
    } else if (node.nodeName === "#document-fragment" && "childNodes" in node) {
      for (const child of node.childNodes) visit(child, false);
    } else faults.push(`a node ${node.nodeName}`);
  };
  visit(parseFragment(html, { onParseError, sourceCodeLocationInfo: true }), false);
  const written = html.match(/<[a-z]/g)?.length ?? 0;
  if (written !== elements.length) faults.push(`${written} elements became ${elements.length}`);
  const values = elements.flatMap(({ attrs }) => attrs.map(({ value }) => value));
  return {
    faults,
    elements,
    texts,
    everything: [...texts, ...math, ...values].join("\n"),
  };
}

/** The value of an attribute; `""` if it is absent. */
export function attribute(element: Tree.Element, name: string): string {
  return element.attrs.find((one) => one.name === name)?.value ?? "";
}

function elementFaults({ tagName, attrs }: Tree.Element): string[] {
  const allowed = Object.hasOwn(allowedElements, tagName) ? allowedElements[tagName] : undefined;
  if (allowed === undefined) return [`element ${tagName}`];
  return attrs
    .filter(
      ({ name }) => name !== "title" && name !== "aria-label" && name !== "data-code-language",
    )
    .filter(({ name, value }) => !(Object.hasOwn(allowed, name) && allowed[name]?.test(value)))
    .map(({ name, value }) => `${tagName} ${name}="${value}"`);
}

function mathFaults({ tagName, attrs }: Tree.Element): string[] {
  if (!MATH.test(tagName)) return [`element ${tagName} in a formula`];
  return attrs
    .filter(
      ({ name, value }) =>
        !MATH_ATTRIBUTE.test(name) || (name === "style" && !MATH_STYLE.test(value)),
    )
    .map(({ name, value }) => `${tagName} ${name}="${value}" in a formula`);
}
