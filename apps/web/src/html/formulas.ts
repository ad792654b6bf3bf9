import stylesheet from "katex/dist/katex.min.css?url";

let link: HTMLLinkElement | undefined;

/**
 * Loads KaTeX's stylesheet when the first formula is shown. Until then, and if it cannot be loaded, formulas are shown as
 * MathML.
 */
export function showFormulas(root: ParentNode): void {
  if (link || !root.querySelector(".katex")) return;
  link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = stylesheet;
  link.addEventListener("load", () => document.documentElement.classList.add("has-formulas"));
  link.addEventListener("error", () => {
    link?.remove();
    link = undefined;
  });
  document.head.append(link);
}
