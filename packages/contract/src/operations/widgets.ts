import * as z from "zod";
import type { ApiError } from "../primitives/api-error.ts";
import { bounds } from "../primitives/bounds.ts";
import { errors } from "../primitives/errors.ts";
import { form } from "../primitives/form.ts";

/** The highest number of an option or a task, as in the clients. */
const maxIndex = 1_000;
const index = z.int().min(0).max(maxIndex);

const shapes = {
  poll: {
    vote: z.strictObject({
      type: z.literal("vote"),
      key: z.string(),
      vote: z.literal([1, -1]),
    }),
    question: z.strictObject({ type: z.literal("question"), question: z.string() }),
    new_option: z.strictObject({
      type: z.literal("new_option"),
      option: z.string(),
      idx: index,
    }),
  },
  todo: {
    new_task: z.strictObject({
      type: z.literal("new_task"),
      key: index,
      task: z.string(),
      desc: z.string(),
      completed: z.boolean(),
    }),
    strike: z.strictObject({ type: z.literal("strike"), key: z.string() }),
    new_task_list_title: z.strictObject({
      type: z.literal("new_task_list_title"),
      title: z.string(),
    }),
  },
} as const satisfies Record<string, Readonly<Record<string, z.ZodType>>>;

/** Changes of the whole widget, which only its author may make. */
const ofAuthor: ReadonlySet<string> = new Set(["question", "new_task_list_title"]);

/** The widgets whose data the server checks. */
type CheckedWidget = keyof typeof shapes;

export function isCheckedWidget(type: unknown): type is CheckedWidget {
  return typeof type === "string" && Object.hasOwn(shapes, type);
}

/**
 * Returns the fault of data that is attached to a poll or a to-do list (messages.md §6.7), or undefined.
 * @param data parsed JSON
 */
export function widgetDataRefusal(
  widget: CheckedWidget,
  data: unknown,
  byAuthor: boolean,
): ApiError | undefined {
  const ofWidget: Readonly<Record<string, z.ZodType>> = shapes[widget];
  const given = data !== null && typeof data === "object" && "type" in data ? data.type : undefined;
  if (typeof given !== "string" || !Object.hasOwn(ofWidget, given))
    return errors.badRequest(
      `content of a ${widget} must be an object whose type is ${Object.keys(ofWidget).join(", ")}`,
    );
  if (ofAuthor.has(given) && !byAuthor)
    return errors.badRequest(
      `${given} of a ${widget} may be sent only by the sender of the message`,
    );
  const issue = ofWidget[given]?.safeParse(data).error?.issues[0];
  if (!issue) return undefined;
  const where = issue.path.length > 0 ? ` (at ${issue.path.join(".")})` : "";
  return errors.badRequest(
    `content is not a valid ${given} of a ${widget}: ${issue.message}${where}`,
  );
}

const choice = z.looseObject({
  short_name: z.string(),
  long_name: z.string(),
  reply: z.string(),
});

/** The widget that a sender may attach to a message: buttons that send replies (messages.md §6.7). */
const zform = z.object({
  widget_type: z.literal("zform"),
  extra_data: z.looseObject({
    type: z.literal("choices"),
    heading: z.string(),
    choices: z.array(choice),
  }),
});

/** `widget_content` of `POST /messages`. */
export const widgetContent = form
  .json(zform, { fractions: true })
  .describe(
    "A widget that clients show in place of the content: buttons (`zform`) that send replies; at most " +
      `${bounds.widgetCharacters} characters. Polls and to-do lists are created by content that begins with \`/poll\` or \`/todo\`.`,
  );
