import type { HtmlContext } from "./context.ts";

/** An address within the organization, as the renderer writes it: the page, or a file. */
const narrow = /^\/?#/;
const upload = /^\/?user_uploads\/(?!thumbnail\/|temporary\/)(?:download\/)?(.+)$/;

/**
 * Prepares links: those to conversations stay in the client, files are opened with the account's key, and all others open
 * in a new tab that cannot access this one.
 */
export function prepareLinks(root: ParentNode, { organization }: HtmlContext): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>("a[href]")) {
    const target = link.getAttribute("href") ?? "";
    if (narrow.test(target)) {
      link.setAttribute("href", target.replace(/^\//, ""));
      continue;
    }
    const file = upload.exec(target)?.[1];
    if (file !== undefined) link.dataset["file"] = file;
    if (file !== undefined || target.startsWith("/"))
      link.setAttribute("href", `${organization.site}/${target.replace(/^\//, "")}`);
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
}
