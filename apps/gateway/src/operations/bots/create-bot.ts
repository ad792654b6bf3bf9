import { createBot as operation } from "@carillon/contract";
import { createBot } from "@carillon/domain";
import { handle } from "../../services.ts";

export default handle(operation, ({ input, actor, services }) =>
  createBot(services.db, services.site, actor, {
    fullName: input.full_name,
    shortName: input.short_name,
    botType: input.bot_type,
    sendingChannel: input.default_sending_stream,
    eventsChannel: input.default_events_register_stream,
    allPublicChannels: input.default_all_public_streams,
  }),
);
