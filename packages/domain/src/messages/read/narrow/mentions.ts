import { userIds } from "./dm.ts";
import { narrowOperator, operandTypes } from "./operator.ts";

/** What a mention that is not silent begins with (rendering.md §4); as the index `messages_mentions_idx` has it. */
const loud = `<span class="user-mention" data-user-id="`;

/** `mentions`: who is mentioned by name and not silently, by ID or e-mail address. */
export const mentions = narrowOperator({
  names: ["mentions"],
  operand: operandTypes.textOrId,
  async compile(operand, context) {
    const [id = 0] = await userIds([operand], context);
    return {
      message: (values) => `m.rendered_content LIKE '%${loud}%'
        AND mentioned_users(m.rendered_content) @> ARRAY[${values.add(String(id), "text")}]`,
      drive: { by: "mention", id },
    };
  },
});
