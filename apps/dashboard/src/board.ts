import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { KoaAdapter } from "@bull-board/koa";
import { queues as declared, type QueueName } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import type { Middleware } from "koa";
import { boardPath } from "./board-when-visited.ts";
import { onlyIds } from "./only-ids.ts";

/** bull-board over the real queues, read-only for everybody: replaying is an action of our own, on the rows. */
export function boardMiddleware(queues: Queues): Middleware {
  const adapter = new KoaAdapter().setBasePath(boardPath);
  createBullBoard({
    serverAdapter: adapter,
    queues: queues.bullQueues().map((queue) => {
      const board = new BullMQAdapter(queue, {
        readOnlyMode: true,
        description: declared[queue.name as QueueName].about,
      });
      board.setFormatter("data", onlyIds);
      board.setFormatter("returnValue", onlyIds);
      return board;
    }),
    options: {
      uiConfig: {
        boardTitle: "Carillon queues",
        hideDocsLink: true,
        miscLinks: [
          { text: "Overview", url: "/" },
          { text: "Dead letters", url: "/dead-letters" },
          { text: "Look up", url: "/look-up" },
        ],
      },
    },
  });
  return adapter.registerPlugin();
}
