import { useOrganization } from "../store/use-organization.ts";
import { texts } from "../texts.ts";
import { Alert } from "../ui/alert.tsx";
import { useAct } from "./act.ts";
import { AddForm } from "./add-form.tsx";
import { nextIndex } from "./poll-state.ts";
import type { WidgetProps } from "./poll.tsx";
import { todoListOf } from "./todo-state.ts";

const t = texts.widgets;

/** A to-do list. Everyone who reads it may tick tasks and add some. */
export function Todo({ message, data }: WidgetProps) {
  const { me } = useOrganization();
  const { act, problem } = useAct(message.id);
  const { title, tasks } = todoListOf(data, message.sender_id);
  return (
    <section class="widget" aria-label={t.todo}>
      <h3 dir="auto">{title || t.todo}</h3>
      <ul>
        {tasks.map(({ key, task, description, isDone }) => (
          <li key={key}>
            <label class={isDone ? "todo-task todo-done" : "todo-task"}>
              <input
                type="checkbox"
                checked={isDone}
                onClick={(event) => {
                  // The box follows the list, which changes when the server says so.
                  event.preventDefault();
                  act({ type: "strike", key });
                }}
              />
              <span dir="auto">
                {task}
                {description && <span class="todo-description"> {description}</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <AddForm
        label={t.newTask}
        button={t.addTask}
        onAdd={(task) =>
          act({
            type: "new_task",
            key: nextIndex(data, me, "key"),
            task,
            desc: "",
            completed: false,
          })
        }
      />
      {problem !== undefined && <Alert>{problem}</Alert>}
    </section>
  );
}
