import { once } from "node:events";
import type { PollRequest, PollsAnswer, PollsRequest } from "../peers/polls.ts";
import { startChild } from "./child.ts";
import { ask } from "./http.ts";
import { credentials, registerRequest } from "./requests.ts";
import type { Member } from "./world.ts";

/** A process that holds polls open. It is separate, so that measurements of the server do not include the client. */
export interface Polls {
  /** Opens connections with one poll each. */
  open(port: number, polls: readonly PollRequest[]): Promise<void>;
  /**
   * Waits until all polls are answered.
   * @throws Error when an answer does not contain exactly this message
   */
  answers(messageId: number): Promise<PollsAnswer>;
  /** Waits until all polls are answered. Does not check the events. */
  answered(): Promise<PollsAnswer>;
  /** Closes all connections. */
  hangUp(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a process that holds polls open. */
export async function startPolls(): Promise<Polls> {
  const child = startChild("polls", "bench/peers/polls.ts", { NODE_ENV: "production" });
  await child.written("polls started");
  const ended = once(child.process, "exit").then(() => {
    throw new Error(`the process with the polls ended:\n${child.output()}`);
  });
  ended.catch(() => undefined);
  async function asked(request: PollsRequest): Promise<PollsAnswer> {
    child.process.send(request);
    const [answer] = (await Promise.race([once(child.process, "message"), ended])) as [PollsAnswer];
    return answer;
  }
  return {
    open: async (port, polls) => void (await asked({ ask: "open", port, polls })),
    async answers(messageId) {
      const answer = await asked({ ask: "answers" });
      const { messageIds, fewest, most } = answer;
      if (messageIds.join() !== String(messageId) || fewest !== 1 || most !== 1)
        throw new Error(
          `polls received ${fewest} to ${most} of the messages ${messageIds.join(", ")}`,
        );
      return answer;
    },
    answered: () => asked({ ask: "answers" }),
    hangUp: async () => void (await asked({ ask: "hang up" })),
    stop: () => child.stop(),
  };
}

/** Concurrent registrations. */
const registeringAtOnce = 8;

/** Registers an event queue for each member. @param eventTypes by default only `message` */
export async function registerQueues(
  port: number,
  members: readonly Member[],
  eventTypes?: readonly string[],
): Promise<PollRequest[]> {
  const polls: PollRequest[] = [];
  for (let from = 0; from < members.length; from += registeringAtOnce)
    polls.push(
      ...(await Promise.all(
        members
          .slice(from, from + registeringAtOnce)
          .map((member) => registerQueue(port, member, eventTypes)),
      )),
    );
  return polls;
}

async function registerQueue(
  port: number,
  member: Member,
  eventTypes?: readonly string[],
): Promise<PollRequest> {
  const queue = await ask<{ queue_id: string; last_event_id: number }>(
    port,
    registerRequest(member, eventTypes),
  );
  return {
    path: `/api/v1/events?queue_id=${queue.queue_id}`,
    authorization: credentials(member),
    lastEventId: queue.last_event_id,
  };
}
