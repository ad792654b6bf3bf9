/** Keys of the protocol's web app, and what each does; the help lists them. */
export type Command =
  | "reply"
  | "compose"
  | "next"
  | "previous"
  | "newest"
  | "search"
  | "help"
  | "star"
  | "edit"
  | "react"
  | "narrow"
  | "nextUnread"
  | "mute"
  | "all"
  | "copy";

export const keys: Readonly<Record<Command, readonly string[]>> = {
  reply: ["r", "Enter"],
  compose: ["c"],
  next: ["j", "ArrowDown"],
  previous: ["k", "ArrowUp"],
  newest: ["G", "End"],
  search: ["/"],
  help: ["?"],
  star: ["*"],
  edit: ["e"],
  react: ["+", ":"],
  narrow: ["s"],
  nextUnread: ["n"],
  mute: ["M"],
  all: ["a"],
  copy: ["L"],
};

type Handlers = Partial<Record<Command, () => void>>;
const stack: Handlers[] = [];

/**
 * Calls the handlers for their keys, unless a text field has the focus or a dialog is open.
 * @returns a function that removes the handlers
 */
export function handleKeys(handlers: Handlers): () => void {
  stack.push(handlers);
  return () => void stack.splice(stack.indexOf(handlers), 1);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isBusy(event)) return;
  const command = (Object.keys(keys) as Command[]).find((name) => keys[name].includes(event.key));
  const handler = command && stack.map((handlers) => handlers[command]).findLast(Boolean);
  if (!handler) return;
  event.preventDefault();
  handler();
});

/** Whether the key belongs to a field, a dialog or, like Enter, to a control that has the focus. */
function isBusy({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open], [role=menu]")) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest("input, textarea, select, [contenteditable]")) return true;
  return key === "Enter" && target.closest("a, button, summary") !== null;
}
