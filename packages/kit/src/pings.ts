/** The parent's message over the IPC channel, and the child's answer while its event loop runs. */
export const ping = "are you there?";
export const pong = "here";

/** Answers the pings of the parent, if there is an IPC channel. */
export function answerPings(): void {
  if (!process.channel) return;
  process.on("message", (message) => {
    if (message === ping) process.send?.(pong);
  });
}
