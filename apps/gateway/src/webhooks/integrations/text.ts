import { errors } from "@carillon/contract";
import * as z from "zod";

import { withoutWildcards } from "../foreign-text.ts";
import { format, integration } from "../integration.ts";

/** Our Markdown as another program composes it (bot-platform.md §1.4). */
export default integration({
  name: "text",
  label: "Text",
  events: [],
  takesText: true,
  formats: {
    payload: format(
      z.object({ content: z.string(), topic: z.string().optional() }),
      ({ content, topic }) => {
        if (content.trim() === "") throw errors.badRequest("content must not be blank");
        return [{ topic: topic?.trim() || "notifications", content: withoutWildcards(content) }];
      },
    ),
  },
});
