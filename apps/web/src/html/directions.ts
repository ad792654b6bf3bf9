const blocks = "p, li, h1, h2, h3, h4, h5, h6, blockquote, td, th";

/** Lets each block have the direction of its own text: a message may quote Arabic below English. */
export function setDirections(root: ParentNode): void {
  for (const block of root.querySelectorAll(blocks)) block.setAttribute("dir", "auto");
}
