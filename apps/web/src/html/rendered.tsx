import { useLayoutEffect, useRef } from "preact/hooks";
import type { Organization } from "../store/organization.ts";
import { useOrganization } from "../store/use-organization.ts";
import { prepareCode } from "./code-blocks.ts";
import type { HtmlContext } from "./context.ts";
import { setDirections } from "./directions.ts";
import { showEmoji } from "./emoji.ts";
import { showFormulas } from "./formulas.ts";
import { prepareLinks } from "./links.ts";
import { markOwnMentions } from "./mentions.ts";
import { openFile } from "./open-file.ts";
import { parseRendered } from "./parse.ts";
import { showPictures } from "./pictures.ts";
import { closeSpoilers } from "./spoilers.ts";
import { localizeTimes } from "./times.ts";

export interface RenderedProps {
  /** HTML of the server's renderer, which escapes what people write. */
  readonly html: string;
  readonly class?: string;
}

/** Shows HTML of the server's renderer. */
export function Rendered({ html, class: name = "rendered" }: RenderedProps) {
  const organization = useOrganization();
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = new ShownHtml(organization);
    const content = parseRendered(html);
    prepare(content, shown);
    element.current?.replaceChildren(content);
    return () => shown.end();
  }, [html, organization]);
  return (
    <div
      class={name}
      dir="auto"
      ref={element}
      onClick={(event) => openLinkedFile(event, organization)}
      onAuxClick={(event) => event.button === 1 && openLinkedFile(event, organization)}
    />
  );
}

/** The context of one text. Creates its signal on first use, because most texts do not use it. */
class ShownHtml implements HtmlContext {
  readonly organization: Organization;
  #controller: AbortController | undefined;
  #hasEnded = false;

  constructor(organization: Organization) {
    this.organization = organization;
  }

  get signal(): AbortSignal {
    if (this.#hasEnded) return AbortSignal.abort();
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  end(): void {
    this.#hasEnded = true;
    this.#controller?.abort();
  }
}

/** Makes the changes that the server's renderer leaves to clients. */
function prepare(root: DocumentFragment, context: HtmlContext): void {
  // Before the links, because it makes some.
  showPictures(root, context);
  prepareLinks(root, context);
  markOwnMentions(root, context);
  showEmoji(root, context);
  localizeTimes(root, context.organization.timeStyle.value);
  prepareCode(root);
  closeSpoilers(root);
  setDirections(root);
  showFormulas(root);
}

function openLinkedFile(event: MouseEvent, organization: Organization): void {
  const target = event.target instanceof Element ? event.target : undefined;
  const file = target?.closest<HTMLElement>("a[data-file]")?.dataset["file"];
  if (file === undefined) return;
  event.preventDefault();
  organization.notices.attempt(openFile(organization, file));
}
