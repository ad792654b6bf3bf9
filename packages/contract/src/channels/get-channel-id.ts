import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";

/** `GET /get_stream_id` (channels.md §7). */
export const getChannelId = operation({
  id: "get-channel-id",
  method: "GET",
  path: "/api/v1/get_stream_id",
  access: "account",
  summary: "Get a channel's ID by its name",
  description: "For channels that the caller may read, not archived.",
  params: { stream: form.text().describe("Name of the channel, in any case.") },
  result: { stream_id: z.int() },
});
