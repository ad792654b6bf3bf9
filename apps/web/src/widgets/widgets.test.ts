import { expect } from "chai";
import { nextIndex, pollOf } from "./poll-state.ts";
import { widgetOf } from "./submessages.ts";
import { todoListOf } from "./todo-state.ts";

const [author, reader] = [5, 6];

/** Returns the widget of a message of `author` after these submessages, each with its sender. */
function widget(type: string, extra: object, actions: ReadonlyArray<readonly [number, object]>) {
  const contents = [[author, { widget_type: type, extra_data: extra }] as const, ...actions];
  const submessages = contents.map(([sender_id, content], at) => ({
    id: at + 1,
    message_id: 9,
    sender_id,
    msg_type: "widget",
    content: JSON.stringify(content),
  }));
  const data = widgetOf(submessages.toReversed());
  if (!data) throw new Error("no widget");
  return data;
}

describe("widgets of the browser client", () => {
  it("count the votes of a poll, with options that people added", () => {
    const data = widget("poll", { question: "Lunch?", options: ["Soup", "Rice"] }, [
      [author, { type: "vote", key: "canned,0", vote: 1 }],
      [reader, { type: "new_option", option: "Bread", idx: 1 }],
      [reader, { type: "new_option", option: "Soup", idx: 2 }],
      [reader, { type: "vote", key: "6,1", vote: 1 }],
      [reader, { type: "vote", key: "canned,0", vote: 1 }],
      [author, { type: "vote", key: "canned,0", vote: -1 }],
      [author, { type: "vote", key: "none", vote: 1 }],
      [author, { type: "question", question: "Dinner?" }],
      [reader, { type: "question", question: "Mine?" }],
    ]);
    const { question, options } = pollOf(data, author);
    expect(question).to.equal("Dinner?");
    expect(options.map(({ text, voters }) => [text, [...voters]])).to.deep.equal([
      ["Soup", [reader]],
      ["Rice", []],
      ["Bread", [reader]],
    ]);
    expect([nextIndex(data, reader, "idx"), nextIndex(data, author, "idx")]).to.deep.equal([3, 1]);
  });

  it("keep the tasks of a to-do list", () => {
    const tasks = [{ task: "Cook", desc: "rice" }, { task: "Eat", desc: "" }, "x"];
    const data = widget("todo", { task_list_title: "Today", tasks }, [
      [reader, { type: "new_task", key: 3, task: "Wash", desc: "all", completed: false }],
      [author, { type: "new_task", key: 1, task: "Eat", desc: "", completed: false }],
      [author, { type: "strike", key: "3,6" }],
      [reader, { type: "strike", key: "0,canned" }],
      [author, { type: "strike", key: "0,canned" }],
      [reader, { type: "new_task_list_title", title: "Mine" }],
    ]);
    expect(todoListOf(data, author)).to.deep.equal({
      title: "Today",
      tasks: [
        { key: "0,canned", task: "Cook", description: "rice", isDone: false },
        { key: "1,canned", task: "Eat", description: "", isDone: false },
        { key: "3,6", task: "Wash", description: "all", isDone: true },
      ],
    });
  });

  it("are absent where the data is not that of a widget", () => {
    for (const content of ["", "[]", "{}", '{"widget_type":7}'])
      expect(
        widgetOf([{ id: 1, message_id: 1, sender_id: 1, msg_type: "widget", content }]),
        content,
      ).to.equal(undefined);
  });
});
