import { isObject, listOf, textOf, type WidgetData } from "./submessages.ts";

export interface Task {
  /** Names the task: the number that its author gave it, and who that is. */
  readonly key: string;
  readonly task: string;
  readonly description: string;
  readonly isDone: boolean;
}

export interface TodoList {
  readonly title: string;
  readonly tasks: readonly Task[];
}

/** Computes a to-do list from its submessages. */
export function todoListOf({ extra, actions }: WidgetData, senderId: number): TodoList {
  let title = textOf(extra["task_list_title"]);
  const tasks = new Map<string, Task>();
  const add = (key: string, task: string, description: string, isDone: boolean) => {
    const isThere = [...tasks.values()].some((one) => one.task === task);
    if (task !== "" && !isThere && !tasks.has(key))
      tasks.set(key, { key, task, description, isDone });
  };
  for (const [at, given] of listOf(extra["tasks"]).entries())
    if (isObject(given)) add(`${at},canned`, textOf(given["task"]), textOf(given["desc"]), false);
  for (const { senderId: actor, data } of actions)
    switch (data["type"]) {
      case "new_task":
        add(
          `${Number(data["key"])},${actor}`,
          textOf(data["task"]),
          textOf(data["desc"]),
          data["completed"] === true,
        );
        break;
      case "new_task_list_title":
        if (actor === senderId) title = textOf(data["title"]);
        break;
      case "strike": {
        const task = tasks.get(textOf(data["key"]));
        if (task) tasks.set(task.key, { ...task, isDone: !task.isDone });
        break;
      }
      default:
    }
  return { title, tasks: [...tasks.values()] };
}
