import * as contract from "@carillon/contract";
import {
  botApiKey,
  changeBotApiKey,
  createBot,
  deactivateBot,
  listDeliveries,
  listOwnBots,
  readWebhook,
  rotateWebhook,
  updateBot,
} from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.reads(contract.listBots, async ({ sql, actor, services }) => {
    if (contract.isGuest(actor)) throw contract.errors.badRequest("Guests cannot do this");
    return { bots: await listOwnBots(sql, services.site, actor) };
  }),

  handle.changes(contract.createBot, ({ tx, input, actor, services }) =>
    createBot(tx, services.site, actor, {
      fullName: input.full_name,
      shortName: input.short_name,
      botType: input.bot_type,
      webhookSecret: input.config_data?.webhook_secret,
      sendingChannel: input.default_sending_stream,
      eventsChannel: input.default_events_register_stream,
      allPublicChannels: input.default_all_public_streams,
      service: {
        name: input.service_name,
        url: input.payload_url,
        format: input.interface_type,
      },
    }),
  ),

  handle.changes(contract.updateBot, ({ tx, input, path, actor, services }) =>
    updateBot(tx, services.site, actor, path.bot_id, {
      fullName: input.full_name,
      role: input.role,
      ownerId: input.bot_owner_id,
      shortName: input.short_name,
      webhookSecret: input.config_data?.webhook_secret,
      defaults: {
        sendingChannel: input.default_sending_stream,
        eventsChannel: input.default_events_register_stream,
        allPublicChannels: input.default_all_public_streams,
      },
      service: { url: input.service_payload_url, format: input.service_interface },
    }),
  ),

  handle.changes(contract.deactivateBot, ({ tx, path, actor }) =>
    deactivateBot(tx, actor, path.bot_id),
  ),

  handle.reads(contract.getBotApiKey, async ({ sql, path, actor, services: { site } }) => ({
    api_key: await botApiKey(sql, site, actor, path.bot_id),
  })),

  handle.changes(contract.regenerateBotApiKey, async ({ tx, path, actor, services: { site } }) => ({
    api_key: await changeBotApiKey(tx, site, actor, path.bot_id),
  })),

  handle.reads(contract.getBotWebhook, ({ sql, path, actor, services: { site } }) =>
    readWebhook(sql, site, actor, path.bot_id),
  ),

  handle.changes(contract.rotateBotWebhook, ({ tx, path, input, actor, services: { site } }) =>
    rotateWebhook(tx, site, actor, path.bot_id, input.which),
  ),

  handle.reads(contract.listBotDeliveries, async ({ sql, path, actor }) => ({
    deliveries: await listDeliveries(sql, actor, path.bot_id),
  })),
];
