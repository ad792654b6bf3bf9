import * as z from "zod";

/** Parses to-do lists as the web app does. */
const submessage = z.object({
  msg_type: z.string(),
  sender_id: z.int(),
  content: z.string(),
});

const toDoWidget = z.strictObject({
  widget_type: z.literal("todo"),
  extra_data: z.strictObject({
    task_list_title: z.string(),
    tasks: z.array(z.strictObject({ task: z.string(), desc: z.string() })),
  }),
});

const toDoData = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("new_task"),
    key: z.int(),
    task: z.string(),
    desc: z.string(),
    completed: z.boolean(),
  }),
  z.strictObject({ type: z.literal("strike"), key: z.string() }),
  z.strictObject({ type: z.literal("new_task_list_title"), title: z.string() }),
]);

interface Task {
  readonly task: string;
  readonly desc: string;
  completed: boolean;
}

/** A to-do list, its tasks in order. */
export interface ToDo {
  title: string;
  readonly tasks: Task[];
}

/** Returns the state of a message's to-do list after all its submessages. */
export function toDoOf(message: {
  readonly sender_id: unknown;
  readonly submessages: unknown;
}): ToDo {
  const [first, ...rest] = z.array(submessage).parse(message.submessages);
  if (!first) throw new Error("the message has no submessage");
  if (first.sender_id !== message.sender_id || first.msg_type !== "widget")
    throw new Error("the first submessage is not the sender's widget");
  const { task_list_title, tasks } = toDoWidget.parse(JSON.parse(first.content)).extra_data;
  const byKey = new Map<string, Task>(
    tasks.map((task, i) => [`${i},canned`, { ...task, completed: false }]),
  );
  let title = task_list_title;
  for (const { sender_id: id, content } of rest) {
    const data = toDoData.parse(JSON.parse(content));
    if (data.type === "new_task_list_title") title = data.title;
    else if (data.type === "new_task") {
      const { key, task, desc, completed } = data;
      byKey.set(`${key},${id}`, { task, desc, completed });
    } else {
      const task = byKey.get(data.key);
      if (task) task.completed = !task.completed;
    }
  }
  return { title, tasks: [...byKey.values()] };
}
