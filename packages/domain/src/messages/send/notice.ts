import {
  type Account,
  type OutgoingMessage,
  type Target,
  clientIdOf,
  membersOf,
} from "@carillon/model";
import type { Sql } from "@carillon/db";
import type { Notice, RenderedMessage } from "@carillon/markdown";

/** Client name of messages that the server sends. */
const internalClient = "Internal";

const noMentions: Omit<RenderedMessage, "html"> = {
  mentionedUserIds: [],
  mentionedGroupIds: [],
  channelWildcard: false,
  topicWildcard: false,
  hasLink: false,
  hasImage: false,
  hasAttachment: false,
  uploadPaths: [],
  pendingImages: [],
};

/** Returns the direct conversation of the bot and the account. */
export function directTo(bot: Account, account: Account): Target {
  const participants = bot.id < account.id ? [bot, account] : [account, bot];
  return { kind: "direct", members: membersOf(bot.id, [account.id]), participants };
}

/** Composes a message of a system bot for `sendMessages`. It needs no permission, and its mentions are silent. */
export async function composeNotice(
  sql: Sql,
  message: {
    bot: Account;
    target: Target;
    topic?: string;
    notice: Notice;
    readBy?: readonly number[];
  },
): Promise<OutgoingMessage> {
  const { bot, target, topic = "", notice, readBy = [] } = message;
  return {
    sender: bot,
    target,
    topic,
    content: notice.content,
    mentionedFollowers: [],
    rendered: { ...noMentions, html: notice.html },
    clientId: await clientIdOf(sql, internalClient),
    clientName: internalClient,
    readBySender: true,
    readBy,
  };
}
