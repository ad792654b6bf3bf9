import type {
  flagRemoved,
  LoggedFields,
  messagesDeleted,
  messageSent,
  messageUpdated,
  reactionAdded,
  reactionRemoved,
} from "@carillon/contract";
import type { LoggedEvent } from "@carillon/events";
import { formFields, type MessageForm, showsPicture, unknownUser } from "@carillon/model";

import type { LoggedMessage } from "../messages/send/message-event.ts";
import { matchesNarrow } from "./narrow.ts";
import type { EventContext, Format, OutgoingEvent } from "./outgoing-event.ts";
import { oldPicture } from "./users.ts";

/**
 * `message`: in the format that the queue requests, with the receiver's flags. Clients that do not support archived
 * channels do not have the archived channel, so they do not get its messages.
 */
export const formatMessage: Format<typeof messageSent> = (outgoing) => {
  const { event, queue, own, via, context } = outgoing;
  const logged = withPicture(outgoing.logged);
  if (logged.archived && !outgoing.has("archived_channels")) return [];
  const flags = via === "public" ? [] : (own?.flags ?? logged.flags);
  const { message, local } = logged;
  const { emptyTopicDisplayName } = context;
  if (!matchesNarrow(queue.options.narrow, { message, flags, emptyTopicDisplayName })) return [];
  const echo = local?.queue_id === queue.id ? { local_message_id: local.local_message_id } : {};
  const form = formOf(event, logged, requestedForm(outgoing));
  const shown = own?.unseen_sender ? { ...form, ...unknownSender(form.sender_id, context) } : form;
  return [outgoing.present({ message: shown, flags, ...echo })];
};

/** Replaces the sender for guests who cannot see the account. */
function unknownSender(id: number, { host, siteUrl }: EventContext) {
  const { email, full_name, avatar_url } = unknownUser(id, host, siteUrl);
  return { sender_email: email, sender_full_name: full_name, avatar_url };
}

/** A message logged by an older version: it has one URL of the sender's picture for all receivers. */
type OldMessage = Omit<LoggedMessage, "picture"> & {
  readonly picture?: undefined;
  readonly message: LoggedMessage["message"] & { readonly avatar_url: string };
};

function withPicture(logged: LoggedMessage | OldMessage): LoggedMessage {
  if (logged.picture) return logged;
  const { sender_id, avatar_url } = logged.message;
  const picture = oldPicture(sender_id, avatar_url, logged.public_gravatar);
  const generated = { user_id: sender_id, version: 1, hash: "", shown_to: [] };
  return { ...logged, picture: picture ?? generated };
}

function requestedForm(outgoing: OutgoingEvent<typeof messageSent>): MessageForm {
  const { applyMarkdown, clientGravatar } = outgoing.queue.options;
  return {
    realm: outgoing.context,
    siteUrl: outgoing.context.siteUrl,
    viewer: outgoing.viewer,
    applyMarkdown,
    clientGravatar,
    allowEmptyTopicName: outgoing.has("empty_topic_name"),
  };
}

type WireMessage = Omit<LoggedMessage["message"], "rendered_content"> &
  ReturnType<typeof formFields>;

/**
 * Caches the formats of each message, at most sixteen, as long as its event lives: a message to 2,000 receivers is
 * formatted a few times, not 2,000 times.
 */
const forms = new WeakMap<LoggedEvent, Map<string, WireMessage>>();

function formOf(event: LoggedEvent, logged: LoggedMessage, wanted: MessageForm): WireMessage {
  const { applyMarkdown, clientGravatar, allowEmptyTopicName, realm, viewer } = wanted;
  const topic = allowEmptyTopicName ? "" : realm.emptyTopicDisplayName;
  const key = `${applyMarkdown} ${clientGravatar} ${showsPicture(logged.picture, viewer)} ${topic}`;
  let ofEvent = forms.get(event);
  if (!ofEvent) forms.set(event, (ofEvent = new Map<string, WireMessage>()));
  let form = ofEvent.get(key);
  if (!form) ofEvent.set(key, (form = wireMessage(logged, wanted)));
  return form;
}

function wireMessage(
  { message, picture, public_gravatar }: LoggedMessage,
  wanted: MessageForm,
): WireMessage {
  const { subject, content, rendered_content, ...common } = message;
  const source = {
    topic: message.type === "stream" ? subject : undefined,
    content,
    renderedContent: rendered_content,
    picture,
    hasPublicGravatar: public_gravatar,
  };
  return Object.assign(common, formFields(source, wanted));
}

/** `update_message`: with the receiver's flags, and topics as the client knows them. */
export const formatMessageUpdate: Format<typeof messageUpdated> = (outgoing) => {
  const { fields } = outgoing;
  const { subject, orig_subject } = fields;
  return [
    outgoing.present({
      ...fields,
      ...(subject === undefined ? {} : { subject: outgoing.topic(subject) }),
      ...(orig_subject === undefined ? {} : { orig_subject: outgoing.topic(orig_subject) }),
    }),
  ];
};

/**
 * `delete_message`: one event with `message_ids`, as logged, or one for each message. Also sent for archived channels
 * to clients that do not have them, because these clients keep the messages as starred ones, and as unread ones once
 * the channel returns.
 */
export const formatDeletion: Format<typeof messagesDeleted> = (outgoing) => {
  const { message_ids, topic, ...rest } = outgoing.fields;
  const fields = topic === undefined ? rest : { ...rest, topic: outgoing.topic(topic) };
  if (outgoing.has("bulk_message_deletion")) return [outgoing.present({ message_ids, ...fields })];
  return message_ids.map((message_id) =>
    outgoing.presentOlder("bulk_message_deletion", { message_id, ...fields }),
  );
};

/** `update_message_flags/remove`: topics in the details of unread messages as the client knows them. */
export const formatFlagRemoval: Format<typeof flagRemoved> = (outgoing) => {
  const { fields } = outgoing;
  if (!fields.message_details) return [outgoing.present(fields)];
  const message_details = Object.fromEntries(
    Object.entries(fields.message_details).map(([id, detail]) => {
      const { topic } = detail;
      return [id, topic === undefined ? detail : { ...detail, topic: outgoing.topic(topic) }];
    }),
  );
  return [outgoing.present({ ...fields, message_details })];
};

/** `reaction`: with the reacting user as the receiver sees them, for client programs that need it. */
export const formatReaction: Format<typeof reactionAdded | typeof reactionRemoved> = (outgoing) => {
  const { reactor, unseen_reactor: unseen, ...fields }: Received = outgoing.fields;
  if (!outgoing.needs("reaction_user")) return [outgoing.present(fields)];
  const { user_id } = fields;
  const { host, siteUrl } = outgoing.context;
  const { email, full_name } = reactor && !unseen ? reactor : unknownUser(user_id, host, siteUrl);
  return [
    outgoing.presentOlder("reaction_user", { ...fields, user: { user_id, email, full_name } }),
  ];
};

/** Older rows do not contain the user. */
type Received = Omit<LoggedFields<typeof reactionAdded>, "reactor"> &
  Partial<Pick<LoggedFields<typeof reactionAdded>, "reactor">> & {
    readonly unseen_reactor?: true | undefined;
  };
