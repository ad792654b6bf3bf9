import { z } from "zod";
import { operation } from "../operation.ts";
import { ownBot } from "./bot-objects.ts";

/** `GET /bots` (users.md §5). */
export const listBots = operation({
  id: "list-bots",
  method: "GET",
  path: "/api/v1/bots",
  access: "human",
  summary: "Get one's own bots",
  description: "Those that are active, with their keys. Not for guests.",
  result: { bots: z.array(ownBot) },
});
