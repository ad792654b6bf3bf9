import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

type Element = DefaultTreeAdapterTypes.Element;

/** An image of a message, as the phone app shows it. */
export interface ImagePreview {
  readonly href: string;
  /** Undefined while the thumbnail is made. */
  readonly thumbnail: string | undefined;
  /** Pixels of the original, `WIDTHxHEIGHT`. */
  readonly dimensions: string | undefined;
}

/**
 * Finds the previews in a message's HTML as the phone app does: each `div` has exactly one link without a class, in which
 * there is exactly one image.
 * @throws Error where the app would show the HTML's source instead
 */
export function previewsOf(html: string): ImagePreview[] {
  return elementsOf(parseFragment(html)).flatMap((element) => {
    if (classOf(element) !== "message_inline_image") return [];
    const link = onlyChild(element, "a");
    if (classOf(link) !== undefined) throw new Error("the link has a class");
    const image = onlyChild(link, "img");
    const src = attribute(image, "src") ?? "";
    const kind = classOf(image);
    if (kind !== undefined && kind !== "image-loading-placeholder")
      throw new Error(`the image has the class ${kind}`);
    const isThumbnail = src.startsWith("/user_uploads/thumbnail/");
    if (isThumbnail === (kind !== undefined)) throw new Error(`the image has the address ${src}`);
    const dimensions = attribute(image, "data-original-dimensions");
    if (dimensions !== undefined && !/^\d+x\d+$/.test(dimensions))
      throw new Error(`the image has the dimensions ${dimensions}`);
    const href = attribute(link, "href") ?? "";
    return [{ href, thumbnail: isThumbnail ? src : undefined, dimensions }];
  });
}

function elementsOf(node: DefaultTreeAdapterTypes.ParentNode): Element[] {
  return node.childNodes.flatMap((child) =>
    "tagName" in child ? [child, ...elementsOf(child)] : [],
  );
}

function onlyChild(element: Element, tag: string): Element {
  const [child, ...others] = element.childNodes;
  if (!child || others.length > 0 || child.nodeName !== tag)
    throw new Error(`not exactly one ${tag} in ${element.tagName}`);
  return child as Element;
}

function classOf(element: Element): string | undefined {
  return attribute(element, "class");
}

function attribute(element: Element, wanted: string): string | undefined {
  return element.attrs.find(({ name }) => name === wanted)?.value;
}
