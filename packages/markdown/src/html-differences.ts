import { shortestEdit, type Step } from "./shortest-edit.ts";

/** Tags, words and white space. Attributes of our HTML contain no `>`: it is escaped. */
const token = /<[^>]*>|[^<\s]+|\s+/g;

/**
 * Shows the differences of two rendered texts (messages.md §6.3): the newer one, with insertions and deletions in spans.
 * The markup is the newer one's, so that it stays balanced.
 * @param before HTML of `renderMessage`, like `after`
 */
export function htmlDifferences(before: string, after: string): string {
  const steps = shortestEdit(before.match(token) ?? [], after.match(token) ?? []);
  const html: string[] = [];
  for (let i = 0; i < steps.length;) {
    const run = [];
    const { kind } = steps[i] ?? { kind: "kept" };
    for (let step = steps[i]; step && step.kind === kind && !isTag(step); step = steps[++i])
      run.push(step.text);
    html.push(marked(kind, run.join("")));
    const tag = steps[i];
    if (!tag || tag.kind !== kind || !isTag(tag)) continue;
    if (kind !== "deleted") html.push(tag.text);
    i += 1;
  }
  return html.join("");
}

function isTag({ text }: Step): boolean {
  return text.startsWith("<");
}

function marked(kind: Step["kind"], text: string): string {
  if (kind === "kept") return text;
  if (text.trim() === "") return kind === "inserted" ? text : "";
  return `<span class="highlight_text_${kind}">${text}</span>`;
}
