import {
  type Audience,
  type BotDefaults,
  type NewEvent,
  botAdded,
  botDeleted,
  botUpdated,
} from "@carillon/contract";

/** What those are told who administer a bot now. */
export function botAddedEvent(
  bot: BotDefaults & { readonly user_id: number },
  audience: Audience,
): NewEvent {
  const { user_id, default_sending_stream, default_events_register_stream } = bot;
  const { default_all_public_streams } = bot;
  return botAdded(
    {
      bot: {
        user_id,
        services: [],
        default_sending_stream,
        default_events_register_stream,
        default_all_public_streams,
      },
    },
    { audience },
  );
}

/** What those are told who administer a bot no more. */
export function botDeletedEvent(
  { user_id }: { readonly user_id: number },
  audience: Audience,
): NewEvent {
  return botDeleted({ bot: { user_id } }, { audience });
}

/** What those are told who administer a bot of which they see something else now. */
export function botUpdatedEvent(
  botId: number,
  changed: Partial<BotDefaults>,
  audience: Audience,
): NewEvent {
  return botUpdated({ bot: { user_id: botId, ...changed } }, { audience });
}
