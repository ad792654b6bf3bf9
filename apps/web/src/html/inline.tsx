import { useLayoutEffect, useRef } from "preact/hooks";
import { parseRendered } from "./parse.ts";

/** Shows a line of the server's HTML, such as a topic in which a search has found words. */
export function Inline({ html }: { readonly html: string }) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    element.current?.replaceChildren(parseRendered(html));
  }, [html]);
  return <bdi ref={element} />;
}
