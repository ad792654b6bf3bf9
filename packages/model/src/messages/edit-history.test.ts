import type { EditHistoryEntry } from "@carillon/contract";
import { expect } from "chai";

import type { EditHistoryPolicy } from "../realms.ts";
import { editFields, visibleEntries } from "./edit-history.ts";

describe("The history of a message's changes", () => {
  const content = (timestamp: number, more = {}): EditHistoryEntry => ({
    user_id: 1,
    timestamp,
    prev_content: "old",
    prev_rendered_content: "<p>old</p>",
    ...more,
  });
  const topic = (timestamp: number, prev_topic: string, now: string): EditHistoryEntry => ({
    user_id: 2,
    timestamp,
    prev_topic,
    topic: now,
  });
  const channel = (timestamp: number): EditHistoryEntry => ({
    user_id: 3,
    timestamp,
    prev_stream: 4,
    stream: 5,
  });
  const fields = (
    history: readonly EditHistoryEntry[] | null,
    policy: EditHistoryPolicy = "all",
    showTopic = (name: string) => name,
  ) => editFields(history, { policy, showTopic });

  it("is empty for an unchanged message", () => {
    expect(fields(null)).to.deep.equal({});
    expect(fields([])).to.deep.equal({});
  });

  it("contains the times of the last edit and the last move", () => {
    const edits = [content(30), content(10)];
    expect(fields(edits)).to.deep.equal({ last_edit_timestamp: 30, edit_history: edits });
    const moves = [topic(20, "soup", "lunch"), channel(10)];
    expect(fields(moves)).to.deep.equal({ last_moved_timestamp: 20, edit_history: moves });
    const both = [content(40), channel(30), content(20), topic(10, "a", "b")];
    expect(fields(both)).to.include({ last_edit_timestamp: 40, last_moved_timestamp: 30 });
    const atOnce = [content(50, { prev_topic: "a", topic: "b" })];
    expect(fields(atOnce)).to.include({ last_edit_timestamp: 50, last_moved_timestamp: 50 });
  });

  it("does not count resolving as a move, but shows it", () => {
    const long = "x".repeat(60);
    for (const [before, after] of [
      ["soup", "✔ soup"],
      ["✔ soup", "soup"],
      [long, `✔ ${"x".repeat(55)}...`],
    ] as const) {
      const history = [topic(10, before, after)];
      expect(fields(history), after).to.deep.equal({ edit_history: history });
    }
    for (const [before, after] of [
      ["soup", "✔ stew"],
      ["✔ soup", "✔ stew"],
      ["✔ soup", "✔ ✔ soup"],
    ] as const)
      expect(fields([topic(10, before, after)]), after).to.include({ last_moved_timestamp: 10 });
  });

  it("shows what the organization's policy allows, and always the times", () => {
    const moved = { prev_topic: "a", topic: "b", prev_stream: 4, stream: 5 };
    const history = [content(40), content(30, moved), channel(20), content(10)];
    const times = { last_edit_timestamp: 40, last_moved_timestamp: 30 };
    expect(fields(history, "all")).to.deep.equal({ ...times, edit_history: history });
    expect(fields(history, "none")).to.deep.equal(times);
    expect(fields(history, "moves")).to.deep.equal({
      ...times,
      edit_history: [{ user_id: 1, timestamp: 30, ...moved }, channel(20)],
    });
    expect(fields([content(10)], "moves")).to.deep.equal({
      last_edit_timestamp: 10,
      edit_history: [],
    });
  });

  it("keeps only known fields of a move", () => {
    const entry = { ...topic(10, "a", "b"), prev_secret: "old", user_id: null };
    expect(visibleEntries([entry], "moves")).to.deep.equal([
      { user_id: null, timestamp: 10, prev_topic: "a", topic: "b" },
    ]);
  });

  it("shows topics as the client knows them", () => {
    const shown = (name: string) => name || "misc";
    const { edit_history } = fields([topic(10, "", "b"), topic(5, "a", "")], "all", shown);
    expect(edit_history).to.deep.equal([topic(10, "misc", "b"), topic(5, "a", "misc")]);
  });
});
