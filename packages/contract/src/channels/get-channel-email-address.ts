import { z } from "zod";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `GET /streams/{stream_id}/email_address` (channels.md §8). */
export const getChannelEmailAddress = operation({
  id: "get-channel-email-address",
  method: "GET",
  path: "/api/v1/streams/{stream_id}/email_address",
  access: "account",
  summary: "Get a channel's e-mail address",
  example: { refused: [400, "this server has no mail gateway"] },
  description:
    "Refused for every channel so far: there is no mail gateway that would take the mail.",
  pathParams: { stream_id: path.int() },
  result: { email: z.string() },
});
