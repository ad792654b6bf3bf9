import { connect } from "node:net";

// node idle-clients.mjs PORT COUNT TEXT EVERY-MS MORE: opens COUNT connections, sends TEXT on each and then MORE at
// intervals, and reopens closed connections until its standard input ends; then only waits. When a server's backlog is
// full, the kernel drops a connection without an error to a client that sends nothing.
const [port, count, text, everyMs, more] = process.argv.slice(2);

/** Concurrent connection attempts: what fits into a server's backlog. */
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
    // Waits after a refused connection, to avoid a tight loop.
    setTimeout(fill, 20);
  });
  socket.resume();
}

fill();
if (Number(everyMs) > 0)
  setInterval(() => open.forEach((socket) => socket.write(more)), Number(everyMs));
process.stdin.resume().on("end", () => (over = true));
