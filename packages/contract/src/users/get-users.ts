import { z } from "zod";
import { mostAccounts } from "../bounds.ts";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { shape } from "../shape.ts";
import { readUserParameters } from "./read-parameters.ts";
import { userObject } from "./user-object.ts";

/** `GET /users` (users.md §2). */
export const getUsers = operation({
  id: "get-users",
  method: "GET",
  path: "/api/v1/users",
  access: "account",
  summary: "Get all users",
  description: "Bots and deactivated accounts included.",
  params: {
    ...readUserParameters,
    user_ids: form
      .json(z.array(shape.id), { most: mostAccounts })
      .optional()
      .describe("Only these, at most 10,000; unknown ones are skipped."),
  },
  result: { members: z.array(userObject) },
});
