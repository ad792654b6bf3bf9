import { form } from "../form.ts";
import { maxId } from "../ids.ts";
import { operation } from "../operation.ts";
import { path } from "../path.ts";
import { groupSettingUpdateParameters } from "../permissions/parameters.ts";
import { channelPermissions } from "../permissions/registry.ts";
import { shape } from "../shape.ts";
import { topicsPolicies } from "./topics-policies.ts";

/** `PATCH /streams/{stream_id}` (channels.md §5). */
export const updateChannel = operation({
  id: "update-channel",
  method: "PATCH",
  path: "/api/v1/streams/{stream_id}",
  access: "account",
  summary: "Update a channel",
  example: { as: "owner", params: { description: "For everything else" } },
  description:
    "For those who administer the channel. Everything is changed or nothing; archived channels can be changed too.",
  pathParams: { stream_id: path.int() },
  params: {
    description: form
      .text()
      .optional()
      .describe("Markdown; at most `max_stream_description_length` characters."),
    new_name: form.text().optional().describe("At most `max_stream_name_length` characters."),
    is_private: form
      .bool()
      .optional()
      .describe("Of a private channel the history is protected unless the request says otherwise."),
    is_web_public: form.bool().optional(),
    history_public_to_subscribers: form
      .bool()
      .optional()
      .describe("Cannot be false for channels that are not private."),
    is_default_stream: form
      .bool()
      .optional()
      .describe("Whether new members are subscribed to it. For administrators."),
    message_retention_days: form
      .intOr(["realm_default", "unlimited"], { min: 1, max: maxId })
      .optional()
      .describe("For owners."),
    is_archived: form
      .bool()
      .optional()
      .describe("`false` brings the channel back from the archive; `true` does nothing."),
    folder_id: form
      .json(shape.id.nullable())
      .optional()
      .describe("`null` takes the channel out of its folder."),
    topics_policy: form
      .oneOfOrJson(...topicsPolicies)
      .optional()
      .describe("`empty_topic_only` while no message has another topic."),
    ...groupSettingUpdateParameters(channelPermissions),
  },
  errors: [
    "CHANNEL_ALREADY_EXISTS",
    "CANNOT_ADMINISTER_CHANNEL",
    "EXPECTATION_MISMATCH",
    "UNAUTHORIZED_PRINCIPAL",
  ],
});
