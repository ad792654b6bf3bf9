import zulip from "zulip-js";

// Makes the calls that programs with zulip-js make, and prints each answer as one line of JSON; then prints every event
// it receives, until it is stopped.
const [realm, username, password, zuliprc] = process.argv.slice(2);
const print = (msg, answer) => console.log(JSON.stringify({ msg, answer }));

const byPassword = await zulip({ realm, username, password });
print("log in", { api_key: byPassword.config.apiKey });
const byFile = await zulip({ zuliprc });
print("users.me", await byFile.users.me.getProfile());
print("streams.retrieve", await byFile.streams.retrieve());

const queue = await byFile.queues.register({ event_types: ["message"] });
print("queues.register", queue);
const sent = await byPassword.messages.send({
  type: "stream",
  to: "general",
  topic: "zulip-js",
  content: "From JavaScript",
});
print("messages.send", sent);
const { queue_id, last_event_id } = queue;
const heard = await byFile.events.retrieve({ queue_id, last_event_id, dont_block: false });
print("events.retrieve", heard);
print("queues.deregister", await byFile.queues.deregister({ queue_id }));
print(
  "direct",
  await byFile.messages.send({ type: "private", to: username, content: "To myself" }),
);
const narrow = [{ operator: "channel", operand: "general" }];
const window = { anchor: "newest", num_before: 5, num_after: 0, narrow };
print("messages.retrieve", await byFile.messages.retrieve(window));

await byFile.callOnEachEvent((event) => print("event", event), ["message"]);
