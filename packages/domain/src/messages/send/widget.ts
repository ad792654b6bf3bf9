import { bounds, errors } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";

/** Line ends that upstream recognizes: more than those of Markdown. */
// oxlint-disable-next-line no-control-regex
const lineEnd = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/u;

const command = /^\/(?<type>poll|todo)(?=\s|$)/u;

/**
 * Returns the widget of a content that begins with `/poll` or `/todo` (messages.md §6.7), as the JSON of the message's
 * first submessage; undefined for other content.
 * @throws ApiError `BAD_REQUEST` if the widget would be too large
 */
export function widgetOf(content: string): string | undefined {
  const found = command.exec(content);
  if (!found) return undefined;
  const [title = "", ...lines] = content.slice(found[0].length).split(lineEnd);
  const entries = lines.map(withoutBullet).filter((entry) => entry !== "");
  const widget =
    found.groups?.["type"] === "poll"
      ? {
          widget_type: "poll",
          extra_data: { question: title.trim(), options: entries },
        }
      : {
          widget_type: "todo",
          extra_data: { task_list_title: title.trim(), tasks: entries.map(taskOf) },
        };
  return boundedWidget(JSON.stringify(widget));
}

/**
 * Returns the widget, after checking its size.
 * @param widget JSON
 * @throws ApiError `BAD_REQUEST`
 */
export function boundedWidget(widget: string): string {
  if (isLongerThan(widget, bounds.widgetCharacters))
    throw errors.badRequest(
      `A poll, to-do list or form has at most ${bounds.widgetCharacters} characters as JSON: give it fewer entries`,
    );
  return widget;
}

/** Removes the list marker of an entry. */
function withoutBullet(line: string): string {
  return line.trim().replace(/^[-*]?\s*/u, "");
}

/** Splits a task from its description at the first colon and space. */
function taskOf(entry: string): { task: string; desc: string } {
  const at = entry.indexOf(": ");
  return at < 0
    ? { task: entry, desc: "" }
    : { task: entry.slice(0, at).trim(), desc: entry.slice(at + 2).trim() };
}
