import { createBot as operation } from "@carillon/contract";
import { createBot } from "@carillon/domain";
import { handle } from "../../handle.ts";

export default handle.changes(operation, ({ tx, input, actor, services }) =>
  createBot(tx, services.site, actor, {
    fullName: input.full_name,
    shortName: input.short_name,
    botType: input.bot_type,
    sendingChannel: input.default_sending_stream,
    eventsChannel: input.default_events_register_stream,
    allPublicChannels: input.default_all_public_streams,
  }),
);
