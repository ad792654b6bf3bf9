import { z } from "zod";
import { form } from "../form.ts";
import { operation } from "../operation.ts";
import { settingParameters } from "./parameters.ts";

/** `PATCH /settings` (settings-and-profile-fields.md §1.3). */
export const updateSettings = operation({
  id: "update-settings",
  method: "PATCH",
  path: "/api/v1/settings",
  access: "human",
  summary: "Change one's own settings",
  description:
    "Only what differs from before is stored and told. One unusable value refuses the whole request.",
  params: {
    full_name: form
      .text()
      .optional()
      .describe("No effect where the organization reserves name changes to administrators."),
    email: form
      .text()
      .optional()
      .describe(
        "Refused unless it is the present address: the server cannot confirm a new one by mail.",
      ),
    old_password: form.text().optional().describe("Required with `new_password`."),
    new_password: form
      .text()
      .optional()
      .describe("6 to 100 characters, and none of the most common passwords."),
    timezone: form.text().optional().describe("A name of the IANA database: `Europe/Berlin`."),
    default_language: form.text().optional().describe("A language tag: `en`, `pt-br`."),
    ...settingParameters,
    target_users: form
      .json(z.looseObject({}))
      .optional()
      .describe("Refused: everybody changes their own settings only."),
  },
});
