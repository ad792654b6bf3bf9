import {
  type LoggedFields,
  messageUpdated,
  type NewEvent,
  type PropagateMode,
} from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { isMeMessage, topicLinks } from "@carillon/markdown";
import { type AccessibleMessage, flag, flagNames, linkifiersOf } from "@carillon/model";

import type { CheckedChange } from "./check-change.ts";
import { changesChannel, changesTopic, type Move } from "./check-move.ts";
import { type FlaggedAlike, loadFlags } from "./copy-flags.ts";
import type { ToldAlike } from "./receivers.ts";
import type { StoredText } from "./stored-text.ts";

type Updated = LoggedFields<typeof messageUpdated>;

/** What was done to a message. */
export interface DoneChange extends CheckedChange {
  readonly actorId: number;
  /** As it was. */
  readonly message: AccessibleMessage;
  readonly stored: StoredText | undefined;
  readonly propagateMode: PropagateMode;
}

/** Whose copies nobody asks for: they see the message without one. */
const withoutCopy = flagNames(flag.read | flag.historical);

/**
 * What is told of a change (events.md §4), one event for those who see the same messages of it. The new content is for
 * those who see the message that has it.
 */
export async function updateEvents(
  tx: Tx,
  done: DoneChange,
  groups: readonly ToldAlike[],
): Promise<NewEvent[]> {
  const told = groups.flatMap(({ ids, told: userIds }) => {
    const id = ids.includes(done.message.id) ? done.message.id : ids[0];
    return id === undefined || userIds.length === 0 ? [] : [{ id, ids, userIds }];
  });
  if (told.length === 0) return [];
  const copies = await loadFlags(tx, told);
  return told.map(({ id, ids, userIds }) => {
    const { flags, userData } = flagsOf(copies.get(id) ?? [], userIds);
    return messageUpdated(
      {
        user_id: done.actorId,
        message_id: id,
        message_ids: [...ids],
        edit_timestamp: Math.floor(done.realm.now),
        rendering_only: false,
        ...placeFields(done.message),
        ...(id === done.message.id ? textFields(done) : {}),
        ...(done.move ? moveFields(done.move, done) : {}),
        flags,
      },
      { audience: userIds, userData },
    );
  });
}

/** What most receivers have on their copy, and what the others have, by account. */
function flagsOf(copies: readonly FlaggedAlike[], userIds: readonly number[]) {
  const having = new Set(copies.flatMap((alike) => alike.userIds));
  const others = userIds.filter((id) => !having.has(id));
  const all = [
    ...copies.map((alike) => ({ flags: flagNames(alike.flags), ids: alike.userIds })),
    { flags: withoutCopy, ids: others },
  ].toSorted((a, b) => b.ids.length - a.ids.length);
  const [most, ...rest] = all;
  return {
    flags: most?.flags ?? [],
    userData: Object.fromEntries(
      rest.flatMap(({ flags, ids }) => ids.map((id) => [id, { flags }])),
    ),
  };
}

function placeFields({ channel }: AccessibleMessage): Partial<Updated> {
  return channel ? { stream_id: channel.id, stream_name: channel.name } : {};
}

function textFields({ stored, text }: DoneChange): Partial<Updated> {
  if (!text || !stored) return {};
  return {
    orig_content: stored.content,
    orig_rendered_content: stored.renderedContent,
    content: text.content,
    rendered_content: text.rendered.html,
    is_me_message: isMeMessage(text.content),
  };
}

function moveFields(move: Move, { realm, propagateMode }: DoneChange): Partial<Updated> {
  const { from, to } = move;
  const links = () => topicLinks(to.topic, linkifiersOf(realm));
  return {
    orig_subject: from.topic,
    propagate_mode: propagateMode,
    ...(changesTopic(move) ? { subject: to.topic, topic_links: links() } : {}),
    ...(changesChannel(move) ? { new_stream_id: to.channel.id } : {}),
  };
}
