/** What a parent asks over the channel, and what a child answers as long as its event loop turns. */
export const ping = "are you there?";
export const pong = "here";

/** Answers the pings of the parent, where there is one with a channel. */
export function answerPings(): void {
  if (!process.channel) return;
  process.on("message", (message) => {
    if (message === ping) process.send?.(pong);
  });
}
