import { useLayoutEffect, useRef } from "preact/hooks";

export interface RenderedProps {
  /** HTML of the server's renderer, which escapes what people write. */
  readonly html: string;
  readonly class?: string;
}

/** Shows HTML of the server's renderer. */
export function Rendered({ html, class: name = "rendered" }: RenderedProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!element.current) return;
    element.current.innerHTML = html;
    improve(element.current);
  }, [html]);
  return <div class={name} dir="auto" ref={element} />;
}

/** Changes what the HTML leaves to clients: links to other sites open in a tab of their own. */
export function improve(root: HTMLElement): void {
  for (const link of root.querySelectorAll("a")) {
    if (link.origin === location.origin) continue;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
}
