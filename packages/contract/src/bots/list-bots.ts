import { z } from "zod";
import { operation } from "../operation.ts";
import { botFields } from "./bot-fields.ts";

/** `GET /bots` (users.md §5). */
export const listBots = operation({
  id: "list-bots",
  method: "GET",
  path: "/api/v1/bots",
  access: "human",
  summary: "Get one's own bots",
  description: "Those that are active, with their keys. Not for guests.",
  result: {
    bots: z.array(z.strictObject({ username: z.string(), full_name: z.string(), ...botFields })),
  },
});
