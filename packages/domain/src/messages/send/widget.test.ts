import { ApiError, bounds } from "@carillon/contract";
import { expect } from "chai";
import { boundedWidget, widgetOf } from "./widget.ts";

// messages.md §6.7
describe("widgetOf", () => {
  const widget = (content: string): unknown => {
    const json = widgetOf(content);
    return json === undefined ? undefined : JSON.parse(json);
  };
  const poll = (question: string, ...options: string[]) => ({
    widget_type: "poll",
    extra_data: { question, options },
  });
  const todo = (task_list_title: string, ...tasks: Array<readonly [string, string]>) => ({
    widget_type: "todo",
    extra_data: { task_list_title, tasks: tasks.map(([task, desc]) => ({ task, desc })) },
  });

  it("makes a poll of a question and of the lines below it, without the marks of a list", () => {
    expect(
      widget("/poll Which colour?\n\nRed\nGreen  \n\n   Blue\n - Yellow\n* - Pink"),
    ).to.deep.equal(poll("Which colour?", "Red", "Green", "Blue", "Yellow", "- Pink"));
    expect(widget("/poll")).to.deep.equal(poll(""));
    expect(widget("/poll\nyes\r\nno\u2028maybe")).to.deep.equal(poll("", "yes", "no", "maybe"));
    expect(widget("/poll   \n-\n*")).to.deep.equal(poll(""));
    expect(widget("/poll\tTabs?\n-1\n**bold**")).to.deep.equal(poll("Tabs?", "1", "*bold**"));
  });

  it("makes a to-do list of a title and of tasks, with what follows the first colon as the description", () => {
    expect(
      widget("/todo Today's tasks\nTask 1: with: colons\n- Task 2 : spaced\nTask 3:none\n: only"),
    ).to.deep.equal(
      todo(
        "Today's tasks",
        ["Task 1", "with: colons"],
        ["Task 2", "spaced"],
        ["Task 3:none", ""],
        ["", "only"],
      ),
    );
    expect(widget("/todo")).to.deep.equal(todo(""));
  });

  it("makes nothing of any other content", () => {
    for (const content of [
      "",
      "use /poll",
      " /poll Spaces before?",
      "/polls",
      "/poll: no",
      "/Poll Upper case?",
      "/me /poll",
      "/todolist",
      "/rsvp",
      "`/poll`",
    ])
      expect(widget(content), content).to.equal(undefined);
  });

  it("refuses a to-do list of more than 30,000 characters as JSON, and takes one of 30,000", () => {
    const length = (content: string) => widgetOf(content)!.length;
    const most = bounds.widgetCharacters;
    const tasks = "/todo T" + "\na".repeat(1_200);
    const filled = `${tasks}\n`;
    const room = most - length(tasks) - JSON.stringify({ task: "", desc: "" }).length - 1;
    expect(room).to.be.within(1, 8_000);
    expect(length(filled + "x".repeat(room))).to.equal(most);
    expect(() => widgetOf(filled + "x".repeat(room + 1)))
      .to.throw(ApiError, "30000 characters")
      .with.property("code", "BAD_REQUEST");
    expect(boundedWidget("x".repeat(most))).to.have.length(most);
    expect(() => boundedWidget("x".repeat(most + 1))).to.throw(ApiError, "30000");
  });

  it("takes time in proportion to the content", () => {
    // A pattern that backtracks would not come back from these.
    for (const line of [" ".repeat(9_900), "- ".repeat(4_900), "-".repeat(9_900)])
      expect(widget(`/poll Q\n${line}`)).to.have.property("widget_type", "poll");
  });
});
