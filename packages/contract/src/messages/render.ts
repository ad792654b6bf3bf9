import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `POST /messages/render` (scheduled-messages.md §7). */
export const renderMessageText = operation({
  id: "render-message",
  method: "POST",
  path: "/api/v1/messages/render",
  access: "account",
  summary: "Render Markdown",
  description:
    "The HTML that a message of the caller with this text would have. Nothing is stored. A text longer than a message may be is refused.",
  renders: "content",
  params: { content: form.text() },
  result: { rendered: z.string() },
});
