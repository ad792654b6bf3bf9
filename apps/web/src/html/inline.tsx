import { useLayoutEffect, useRef } from "preact/hooks";
import { parseRendered } from "./parse.ts";

/** Shows inline HTML of the server, such as a topic in which a search has highlighted words. */
export function Inline({ html }: { readonly html: string }) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    element.current?.replaceChildren(parseRendered(html));
  }, [html]);
  return <bdi ref={element} />;
}
