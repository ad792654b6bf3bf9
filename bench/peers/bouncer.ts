import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { NotifyBody } from "@carillon/push";

/** Asks the bouncer to answer when this number of further notifications has arrived. */
export interface BouncerRequest {
  readonly expected: number;
}

export interface BouncerAnswer {
  /** When the last of them arrived, UNIX milliseconds. */
  readonly at: number;
}

// A push bouncer that reads and discards notifications.
let arrived = 0;
let awaited = Infinity;

const server = createServer((request, response) => {
  void read(request).then((body) => {
    const android = body.push_requests.length;
    const answer = {
      result: "success",
      msg: "",
      android_successfully_sent_count: android,
      apple_successfully_sent_count: 0,
      delete_token_ids: [],
      realm_push_status: { can_push: true, expected_end_timestamp: null },
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
    arrived += android;
    answerWhenComplete();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`peer started on ${(server.address() as AddressInfo).port}`);
});
process.on("message", ({ expected }: BouncerRequest) => {
  arrived = 0;
  awaited = expected;
  answerWhenComplete();
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));

function answerWhenComplete(): void {
  if (arrived < awaited) return;
  awaited = Infinity;
  const answer: BouncerAnswer = { at: Date.now() };
  process.send?.(answer);
}

async function read(request: IncomingMessage): Promise<NotifyBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as NotifyBody;
}
