import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { KoaAdapter } from "@bull-board/koa";
import { queues as declared, type QueueName } from "@carillon/jobs";
import type { Queues } from "@carillon/queue";
import type { Middleware } from "koa";
import { onlyIds } from "../only-ids.ts";
import { boardPath, links } from "../pages/links.ts";
import { boardNavigation } from "./navigation.ts";

/** Always with the date: bull-board omits it for recent times, which is ambiguous across time zones. */
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

/** Mounts bull-board over the queues, read-only for everyone: replaying is our own action, on the rows. */
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
        // A day of completed and failed jobs, by the minute. Completed jobs themselves are removed: a kept one would block
        // the next job with its id (docs/decisions/005).
        showMetrics: true,
        // BullMQ knows workers by their Redis connections; the overview shows ours by their heartbeats.
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
