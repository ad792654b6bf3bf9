import * as contract from "@carillon/contract";
import {
  createSubscription,
  deleteSubscription,
  listSubscriptionDeliveries,
  listSubscriptionsOfBot,
  queuePing,
  replaySubscription,
  rotateSubscriptionSecret,
  showSubscription,
  updateSubscription,
} from "@carillon/domain";
import { handle } from "../handle.ts";

export default [
  handle.changes(contract.createEventSubscription, ({ tx, input, actor, services: { site } }) =>
    createSubscription(tx, site, actor, {
      botId: input.bot_id,
      url: input.url,
      description: input.description,
      eventTypes: input.event_types,
      narrow: input.narrow,
      allPublicChannels: input.all_public_streams,
    }),
  ),

  handle.reads(contract.listEventSubscriptions, async ({ sql, input, actor }) => ({
    subscriptions: await listSubscriptionsOfBot(sql, actor, input.bot_id),
  })),

  handle.reads(contract.getEventSubscription, async ({ sql, path, actor }) => ({
    subscription: await showSubscription(sql, actor, path.subscription_id),
  })),

  handle.changes(
    contract.updateEventSubscription,
    async ({ tx, path, input, actor, services: { site } }) => ({
      subscription: await updateSubscription(tx, site, actor, path.subscription_id, {
        url: input.url,
        description: input.description,
        paused: input.paused,
        eventTypes: input.event_types,
        narrow: input.narrow,
        allPublicChannels: input.all_public_streams,
      }),
    }),
  ),

  handle.changes(contract.deleteEventSubscription, ({ tx, path, actor }) =>
    deleteSubscription(tx, actor, path.subscription_id),
  ),

  handle.changes(
    contract.rotateEventSubscriptionSecret,
    async ({ tx, path, input, actor, services: { site } }) => ({
      signing_secret: await rotateSubscriptionSecret(
        tx,
        site,
        actor,
        path.subscription_id,
        input.expire_seconds,
      ),
    }),
  ),

  handle.changes(contract.pingEventSubscription, ({ tx, path, actor }) =>
    queuePing(tx, actor, path.subscription_id),
  ),

  handle.changes(contract.replayEventSubscription, async ({ tx, path, input, actor }) => ({
    cursor: await replaySubscription(tx, actor, path.subscription_id, {
      eventId: input.from_event_id,
      time: input.from_time,
    }),
  })),

  handle.reads(contract.listEventDeliveries, async ({ sql, path, actor }) => ({
    deliveries: await listSubscriptionDeliveries(sql, actor, path.subscription_id),
  })),
];
