import { allowedAttributes, allowedProperties, isAllowedTarget, isOwnPath } from "./allowed.ts";

const template = document.createElement("template");

/**
 * Parses HTML of the server's renderer into nodes that may be inserted into the page. Addresses of files are in `data-src`.
 *
 * The renderer escapes what people write, and the page's policy stops scripts. A template is needed anyway: its document
 * loads no pictures before their addresses have been changed. Elements and attributes that the renderer never writes are
 * removed as well, in case the renderer has a fault, or a message was imported into the database.
 */
export function parseRendered(html: string): DocumentFragment {
  template.innerHTML = html.replaceAll(tags, deferStyle);
  for (const element of template.content.querySelectorAll("*")) {
    const attributes = allowedAttributes(element);
    if (attributes) keepOnly(element, attributes);
    else element.replaceWith(element.textContent ?? "");
  }
  const fragment = document.createDocumentFragment();
  fragment.append(template.content);
  return fragment;
}

const tags = /<[a-z][^<>]*>/g;

/** The policy forbids `style` attributes, and browsers report each that they parse. The renderer escapes quotes in values. */
function deferStyle(tag: string): string {
  return tag.replaceAll(' style="', ' data-style="');
}

function keepOnly(element: Element, allowed: ReadonlySet<string>): void {
  // A copy: the list itself loses what is removed.
  for (const { name, value } of Array.from(element.attributes)) {
    if (!allowed.has(name)) element.removeAttribute(name);
    else if (name === "href" && !isAllowedTarget(value)) element.removeAttribute(name);
    else if (name === "src") deferSource(element, value);
    else if (name === "data-style") applyStyle(element, value);
  }
}

/** Keeps the address of a picture, a video or a sound in `data-src`: most need credentials, so the page cannot load them. */
function deferSource(element: Element, path: string): void {
  element.removeAttribute("src");
  if (isOwnPath(path)) element.setAttribute("data-src", path);
}

/** Sets a style by script, which the page's policy allows. */
function applyStyle(element: Element, text: string): void {
  element.removeAttribute("data-style");
  const { style } = element as Element & ElementCSSInlineStyle;
  for (const declaration of text.split(";")) {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, colon).trim();
    if (allowedProperties.has(name)) style.setProperty(name, declaration.slice(colon + 1).trim());
  }
}
