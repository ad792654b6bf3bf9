import { fileURLToPath } from "node:url";
import { useProcesses, type TestProcess } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

type Answer = Readonly<Record<string, unknown>>;

/** The answers that a program printed, by call. */
async function answersOf(program: TestProcess): Promise<(call: string) => Answer> {
  expect(await program.exit, program.output()).to.include({ code: 0 });
  const answers = new Map(program.lines.map(({ msg, answer }) => [msg, answer as Answer]));
  return (call) => answers.get(call) ?? {};
}

const success = (answer: Answer): Answer => {
  expect(answer["result"], JSON.stringify(answer)).to.equal("success");
  return answer;
};
const messagesOf = (answer: Answer) => success(answer)["messages"] as Answer[];
const messageOf = (answer: Answer) => success(answer)["message"] as Answer;

describe("A day's work of a bot that edits and reacts", () => {
  const server = useServer();
  const processes = useProcesses();

  describe("with the Python library", () => {
    const python = usePython();
    let answer: (call: string) => Answer;
    before("run the program", async () => {
      const accounts = [await server.zuliprc("owner"), await server.zuliprc("member")];
      answer = await answersOf(python.script("day.py", accounts));
    });

    it("edits a message, and reads its history", () => {
      success(answer("update_message"));
      expect(success(answer("get_raw_message"))).to.include({ raw_content: "The **very** first" });
      const { message_history: history } = success(answer("get_message_history"));
      expect((history as Answer[]).map(({ content }) => content)).to.deep.equal([
        "The *first* of the day",
        "The **very** first",
      ]);
    });

    it("adds a reaction once, and removes it", () => {
      for (const call of ["add_reaction", "add_reaction of mine", "remove_reaction"])
        success(answer(call));
      expect(answer("add_reaction again")).to.include({
        result: "error",
        code: "REACTION_ALREADY_EXISTS",
      });
      const [{ reactions } = {}] = messagesOf(answer("get_messages"));
      expect((reactions as Answer[]).map((one) => one["emoji_name"])).to.deep.equal(["octopus"]);
    });

    it("stars, marks as read, searches, and matches a narrow", () => {
      for (const call of ["update_message_flags", "mark_topic_as_read"]) success(answer(call));
      const [first, second, ...others] = messagesOf(answer("get_messages"));
      expect(others).to.deep.equal([]);
      for (const message of [first, second])
        expect(message?.["flags"]).to.include.members(["read", "starred"]);
      const found = messagesOf(answer("search"));
      expect(found).to.have.length(1);
      expect(found[0]?.["match_content"]).to.equal(
        '<p>Ring the <span class="highlight">bells</span> at noon</p>',
      );
      const { messages } = success(answer("check_messages_match_narrow"));
      expect(Object.keys(messages as object)).to.deep.equal([String(first?.["id"])]);
    });

    it("renames and resolves a topic, deletes a message once, and marks the rest as read", () => {
      for (const call of ["update_message of the topic", "resolve"]) success(answer(call));
      const { topics } = success(answer("get_stream_topics"));
      const names = (topics as Answer[]).map(({ name }) => name);
      expect(names).to.include("✔ python evening").and.not.include("python day");
      const later = messagesOf(answer("get_messages later"));
      expect(later.map(({ subject }) => subject)).to.deep.equal([
        "✔ python evening",
        "✔ python evening",
      ]);
      success(answer("delete_message"));
      expect(answer("delete_message again")).to.include({ result: "error", code: "BAD_REQUEST" });
      for (const call of ["mark_stream_as_read", "mark_all_as_read"]) success(answer(call));
    });
  });

  describe("with zulip-js", () => {
    let answer: (call: string) => Answer;
    before("run the program", async () => {
      const program = fileURLToPath(new URL("programs/day.mjs", import.meta.url));
      answer = await answersOf(processes.script(program, [await server.zuliprc("owner")], {}));
    });

    it("edits a message, and reads its history", () => {
      success(answer("messages.update"));
      expect(messageOf(answer("messages.getById"))).to.include({
        content: "<p>Ring <strong>all</strong> bells</p>",
      });
      const { message_history: history } = success(answer("messages.getHistoryById"));
      expect(history).to.have.length(2);
    });

    it("reacts, stars and searches, and undoes both", () => {
      for (const call of ["reactions.add", "messages.flags.add"]) success(answer(call));
      const found = messagesOf(answer("messages.retrieve")).at(-1);
      expect(found?.["flags"]).to.include("starred");
      expect(found?.["reactions"]).to.have.length(1);
      expect(found?.["match_content"]).to.contain('<span class="highlight">bells</span>');
      for (const call of ["reactions.remove", "messages.flags.remove"]) success(answer(call));
      const later = messageOf(answer("messages.getById later"));
      expect(later["reactions"]).to.deep.equal([]);
      expect(later["flags"]).not.to.include("starred");
    });

    it("renames a topic, and deletes a message once", () => {
      success(answer("messages.update of the topic"));
      expect(messageOf(answer("messages.getById later"))).to.include({ subject: "js evening" });
      success(answer("messages.deleteById"));
      expect(answer("messages.deleteById again")).to.include({ result: "error" });
    });
  });
});
