import { updateBot as operation } from "@carillon/contract";
import { updateBot } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, input, path, actor, services }) =>
  updateBot(tx, services.site, actor, path.bot_id, {
    fullName: input.full_name,
    role: input.role,
    ownerId: input.bot_owner_id,
    shortName: input.short_name,
    defaults: {
      sendingChannel: input.default_sending_stream,
      eventsChannel: input.default_events_register_stream,
      allPublicChannels: input.default_all_public_streams,
    },
  }),
);
