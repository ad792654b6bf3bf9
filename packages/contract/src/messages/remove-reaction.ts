import { form } from "../form.ts";
import { maxLongId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";

/** `DELETE /messages/{message_id}/reactions` (messages.md §6.5). */
export const removeReaction = operation({
  id: "remove-reaction",
  method: "DELETE",
  path: "/api/v1/messages/{message_id}/reactions",
  access: "account",
  summary: "Remove an emoji reaction",
  example: {
    made: { REACTED: ["add-reaction", "result"] },
    path: { message_id: "$MESSAGE_ID" },
    params: { emoji_name: "tada" },
  },
  pathParams: { message_id: path.int({ max: maxLongId }) },
  params: {
    emoji_name: form.text().optional().describe("Required unless `emoji_code` is given."),
    emoji_code: form.text().optional().describe("Goes before `emoji_name`."),
    reaction_type: form
      .text()
      .default("unicode_emoji")
      .describe("`unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`."),
  },
  errors: ["REACTION_DOES_NOT_EXIST"],
});
