import { form } from "../form.ts";

/** Parameters of the operations that read accounts. */
export const readUserParameters = {
  client_gravatar: form
    .bool()
    .default(true)
    .describe("Leaves `avatar_url` null where the client can make up a gravatar address itself."),
  include_custom_profile_fields: form.bool().default(false),
};
