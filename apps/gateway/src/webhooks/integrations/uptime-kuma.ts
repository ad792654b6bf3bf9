import * as z from "zod";

import { linkTo, plain, plainLine, topicText } from "../foreign-text.ts";
import { format, integration } from "../integration.ts";
import { maybeText } from "../shapes.ts";

const shape = z.object({
  heartbeat: z.object({ status: z.int(), msg: maybeText }).nullish(),
  monitor: z.object({ name: z.string(), url: maybeText }).nullish(),
  msg: maybeText,
});

/** States of monitors of Uptime Kuma (bot-platform.md §1.4). */
export default integration({
  name: "uptime_kuma",
  label: "UptimeKuma",
  events: [],
  formats: {
    payload: format(shape, ({ heartbeat, monitor, msg }) => {
      if (!monitor) {
        const content = plainLine(msg ?? "");
        return content === "" ? [] : [{ topic: "Uptime Kuma", content }];
      }
      if (heartbeat?.status !== 0 && heartbeat?.status !== 1) return [];
      const linked = linkTo(plain(monitor.name), monitor.url);
      const state = heartbeat.status === 0 ? `❌ ${linked} is down` : `✅ ${linked} is up`;
      const content = `${state}: ${plain(heartbeat.msg ?? "")}`.trim();
      return [{ topic: topicText(monitor.name), content }];
    }),
  },
});
