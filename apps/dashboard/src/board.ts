import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { KoaAdapter } from "@bull-board/koa";
import { queues as declared, type QueueName } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import type { Middleware } from "koa";
import { boardPath } from "./board-when-visited.ts";
import { boardNavigation } from "./board-navigation.ts";
import { onlyIds } from "./only-ids.ts";
import { links } from "./pages/layout.ts";

/** bull-board leaves out the day of what is near: a time without its day is ambiguous in another zone than the reader's. */
const instant: Intl.DateTimeFormatOptions = {
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZone: "UTC",
  timeZoneName: "short",
};

/** bull-board over the real queues, read-only for everybody: replaying is an action of our own, on the rows. */
export function boardMiddleware(queues: Queues): Middleware {
  const adapter = new KoaAdapter().setBasePath(boardPath);
  createBullBoard({
    serverAdapter: adapter,
    queues: queues.bullQueues().map((queue) => {
      const { title, about } = declared[queue.name as QueueName];
      const board = new BullMQAdapter(queue, {
        readOnlyMode: true,
        displayName: title,
        description: about,
      });
      board.setFormatter("data", onlyIds);
      board.setFormatter("returnValue", onlyIds);
      return board;
    }),
    options: {
      uiConfig: {
        boardTitle: "Carillon queues",
        hideDocsLink: true,
        locale: { lng: "en-GB" },
        dateFormats: { short: instant, common: instant, full: instant },
        // A day of what was completed and failed, by the minute: jobs themselves go when they are done, for their ids
        // would swallow the next of the same name (docs/decisions/005).
        showMetrics: true,
        // BullMQ knows workers by their connections to Redis; ours are on the overview, by their heartbeats.
        showWorkers: false,
        hideRedisDetails: queues.backend !== "redis",
        miscLinks: links
          .filter(([path]) => path !== boardPath)
          .map(([url, text]) => ({ text, url })),
      },
    },
  });
  return boardNavigation(adapter.registerPlugin());
}
