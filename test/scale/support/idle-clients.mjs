import { connect } from "node:net";

// node idle-clients.mjs PORT COUNT TEXT EVERY-MS MORE: keeps so many connections open, each of which has sent the text and
// then sends more every now and then, and opens another for each that is closed, until its standard input ends; then it
// only waits. Where a server has no room for one, the system drops it without telling a client that sends nothing.
const [port, count, text, everyMs, more] = process.argv.slice(2);

/** So many are on their way at a time: what a server has room for in its line of those that it has not taken yet. */
const atOnce = 200;
const open = new Set();
let connecting = 0;
let over = false;

function fill() {
  while (!over && connecting < atOnce && open.size + connecting < Number(count)) begin();
}

function begin() {
  connecting++;
  const socket = connect(Number(port), "127.0.0.1");
  let taken = false;
  const settle = () => {
    if (!taken) connecting--;
    taken = true;
  };
  socket.on("connect", () => {
    settle();
    open.add(socket);
    if (text) socket.write(text);
    fill();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    settle();
    open.delete(socket);
    // Refused: not in a tight loop.
    setTimeout(fill, 20);
  });
  socket.resume();
}

fill();
if (Number(everyMs) > 0)
  setInterval(() => open.forEach((socket) => socket.write(more)), Number(everyMs));
process.stdin.resume().on("end", () => (over = true));
