import { navigate } from "../navigation.ts";
import { type Conversation, keyOf, routeOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import type { MessageWindow } from "./message-window.ts";

/**
 * Goes along when all messages of the topic that is open move, as when it is renamed or resolved.
 * @returns a function that ends this
 */
export function followMoves(
  organization: Organization,
  messages: MessageWindow,
  shown: Conversation,
): () => void {
  return organization.listen((item) => {
    if (item.type !== "update_message" || "others" in shown) return;
    const {
      stream_id,
      orig_subject = "",
      subject = orig_subject,
      new_stream_id = stream_id,
    } = item;
    if (stream_id === undefined || new_stream_id === undefined) return;
    const isFromHere = keyOf({ channelId: stream_id, topic: orig_subject }) === keyOf(shown);
    const moved = { channelId: new_stream_id, topic: subject };
    if (!isFromHere || keyOf(moved) === keyOf(shown) || messages.loaded.value.ids.length > 0)
      return;
    navigate(routeOf(moved, organization.me), { replace: true });
  });
}
