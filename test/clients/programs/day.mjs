import zulip from "zulip-js";

// Edits, reacts to, flags, moves and deletes messages as a bot would; prints each answer as one line of JSON.
const client = await zulip({ zuliprc: process.argv[2] });
const print = (msg, answer) => {
  console.log(JSON.stringify({ msg, answer }));
  return answer;
};

const { id: message_id } = await client.messages.send({
  type: "stream",
  to: "general",
  topic: "js day",
  content: "Ring the *bells*",
});
const about = (more) => ({ message_id, ...more });
print("messages.update", await client.messages.update(about({ content: "Ring **all** bells" })));
print("messages.getById", await client.messages.getById({ message_id }));
print("messages.getHistoryById", await client.messages.getHistoryById({ message_id }));
const emoji = {
  emoji_name: "working_on_it",
  emoji_code: "1f6e0",
  reaction_type: "unicode_emoji",
};
print("reactions.add", await client.reactions.add(about(emoji)));
const messages = [message_id];
print("messages.flags.add", await client.messages.flags.add({ messages, flag: "starred" }));
const narrow = [
  { operator: "stream", operand: "general" },
  { operator: "search", operand: "bell" },
];
const window = { anchor: "newest", num_before: 5, num_after: 0, narrow };
print("messages.retrieve", await client.messages.retrieve(window));
print("reactions.remove", await client.reactions.remove(about(emoji)));
print("messages.flags.remove", await client.messages.flags.remove({ messages, flag: "starred" }));
const moved = { topic: "js evening", propagate_mode: "change_all" };
print("messages.update of the topic", await client.messages.update(about(moved)));
print("messages.getById later", await client.messages.getById({ message_id }));
print("messages.deleteById", await client.messages.deleteById({ message_id }));
print("messages.deleteById again", await client.messages.deleteById({ message_id }));
