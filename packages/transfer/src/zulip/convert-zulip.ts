import { roles } from "@carillon/contract";
import { systemClock } from "@carillon/kit";

import type { SourceArchive } from "../archives/source-archive.ts";
import { cleanLine, cut, UniqueNames } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { MessageRecord, SubscriptionRecord } from "../records.ts";
import { PictureMaker } from "../picture-maker.ts";
import { TransferError } from "../transfer-error.ts";
import type { TransferWriter } from "../writer.ts";
import { attachmentsOf, type Claim, emojiOf } from "./files.ts";
import { messagesOf } from "./messages.ts";
import { accountsOf, withAvatars } from "./people.ts";
import { settingsOf } from "./personal-settings.ts";
import { personalTables } from "./personal-tables.ts";
import { RecipientTargets } from "./recipient-targets.ts";
import { ReactionTable } from "./reaction-table.ts";
import { RealmTables } from "./realm-tables.ts";
import { defined, type Row, RowProblem } from "./row.ts";
import { scheduledMessagesOf } from "./scheduled-messages.ts";
import { channelSettings, realmSettings, userGroupSettings } from "./settings.ts";

export interface ZulipOptions {
  readonly archive: SourceArchive;
  readonly writer: TransferWriter;
  readonly report: ConversionReport;
  /** Default: the name in the export. */
  readonly organizationName: string | undefined;
  /** Called now and then with the number of messages. */
  readonly progress?: ((messages: number) => void) | undefined;
}

/** Converts an export of Zulip to one of Carillon. */
export async function convertZulip(options: ZulipOptions): Promise<void> {
  const { archive, writer, report } = options;
  const tables = await RealmTables.read(archive, report);
  const [realm] = tables.get("zerver_realm");
  if (!realm) throw new TransferError("realm.json", undefined, "has no row of zerver_realm");
  const accounts = accountsOf(tables, report);
  const accountIds = new Set(accounts.map(({ id }) => id));
  const realmId = realm.maybeNumber("id") || 1;
  const pictures = new PictureMaker({ archive, writer, report }, realmId);
  const groupIds = await writeGroups(tables, writer, accountIds);
  await writer.write("realms", [
    {
      id: realmId,
      name: cut(
        options.organizationName ||
          cleanLine(realm.maybeText("name") ?? "") ||
          "Imported from Zulip",
        40,
      ),
      description: cut(realm.maybeText("description") ?? "", 1000),
      ...realmSettings(realm, groupIds),
    },
  ]);
  await writer.write("users", await withAvatars(accounts, archive, pictures, report));
  const channelIds = await writeChannels(tables, writer, { accountIds, groupIds });
  const targets = new RecipientTargets(tables);
  await writer.write("subscriptions", subscriptionsOf(tables, targets, { accountIds, channelIds }));
  const clients = tables.map("zerver_client", (row) => ({
    id: row.id,
    name: cut(row.text("name"), 30),
  }));
  await writer.write("clients", clients);
  const owner = accounts.find((one) => one.role === roles.owner)?.id;
  const files = { archive, writer, report, accounts: accountIds };
  const emoji = await emojiOf(tables, { ...files, owner }, pictures);
  await writer.write("realm_emoji", emoji);
  await writer.write("pictures", pictures.records);
  const claims: Claim[] = [];
  await writer.write("attachments", attachmentsOf(files, claims));
  const reactions = await reactionsOf(tables, accountIds, new Set(emoji.map(({ id }) => id)));
  await writer.write(
    "messages",
    messagesOf({
      archive,
      report,
      targets,
      reactions,
      accounts: accountIds,
      channels: channelIds,
      clients: new Set(clients.map(({ id }) => id)),
      progress: options.progress,
    }),
  );
  await writer.write("attachment_claims", claims);
  const clientIds = new Set(clients.map(({ id }) => id));
  const { recipients, scheduled } = scheduledMessagesOf(tables, targets, {
    report,
    accountIds,
    channelIds,
    clientIds,
    now: systemClock.now(),
  });
  await writer.write("recipients", recipients);
  await writer.write("scheduled_messages", scheduled);
  await writer.write(
    "realm_user_defaults",
    tables.map("zerver_realmuserdefault", (row) => ({
      settings: settingsOf(row, ({ realmDefault }) => realmDefault),
    })),
  );
  for (const [table, records] of personalTables(tables, { accountIds, channelIds }))
    await writer.write(table, records);
}

/** Writes groups of people. The members of system groups follow from roles. */
async function writeGroups(
  tables: RealmTables,
  writer: TransferWriter,
  accountIds: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const ids = new Set(tables.map("zerver_usergroup", (row) => row.id));
  const idOf = (row: Row): number => row.maybeNumber("usergroup_ptr") ?? row.id;
  const system = new Set(
    tables
      .get("zerver_namedusergroup")
      .flatMap((row) => (row.flag("is_system_group") ? [idOf(row)] : [])),
  );
  await writer.write(
    "user_group",
    [...ids].map((id) => ({ id })),
  );
  const named = new Set<number>();
  await writer.write(
    "named_user_group",
    tables.map("zerver_namedusergroup", (row) => {
      const id = idOf(row);
      if (!ids.has(id) || named.has(id))
        throw new RowProblem("is in no row of zerver_usergroup, or is there twice");
      named.add(id);
      if (system.has(id)) return { id, name: row.text("name"), is_system_group: true };
      const creator = row.maybeNumber("creator");
      return {
        id,
        name: cut(cleanLine(row.text("name")), 100),
        description: cut(row.maybeText("description") ?? "", 1024),
        deactivated: row.flag("deactivated"),
        ...(creator !== undefined && accountIds.has(creator) && { creator_id: creator }),
        ...userGroupSettings(row, ids),
      };
    }),
  );
  await writer.write(
    "user_group_member",
    tables.map("zerver_usergroupmembership", (row) => {
      const [group, user] = [row.number("user_group"), row.number("user_profile")];
      if (system.has(group)) return undefined;
      if (!ids.has(group) || !accountIds.has(user))
        throw new RowProblem("its group or account is not in the export");
      return { group_id: group, user_id: user };
    }),
  );
  await writer.write(
    "user_group_subgroup",
    tables.map("zerver_groupgroupmembership", (row) => {
      const [outer, inner] = [row.number("supergroup"), row.number("subgroup")];
      if (system.has(outer)) return undefined;
      if (!ids.has(outer) || !named.has(inner))
        throw new RowProblem("its groups are not in the export");
      return { supergroup_id: outer, subgroup_id: inner };
    }),
  );
  return ids;
}

interface Known {
  readonly accountIds: ReadonlySet<number>;
  readonly groupIds: ReadonlySet<number>;
}

async function writeChannels(
  tables: RealmTables,
  writer: TransferWriter,
  { accountIds, groupIds }: Known,
): Promise<ReadonlySet<number>> {
  const creatorOf = (row: Row) => {
    const creator = row.maybeNumber("creator");
    return creator !== undefined && accountIds.has(creator) ? creator : undefined;
  };
  const folders = tables.map("zerver_channelfolder", (row) =>
    defined({
      id: row.id,
      name: cut(cleanLine(row.text("name")), 60),
      description: cut(row.maybeText("description") ?? "", 1024),
      order: row.maybeNumber("order"),
      creator_id: creatorOf(row),
      date_created: row.maybeTime("date_created"),
      is_archived: row.flag("is_archived"),
    }),
  );
  await writer.write("channel_folders", folders);
  const folderIds = new Set(folders.map(({ id }) => id));
  const ids = new Set<number>();
  const names = new UniqueNames(60);
  await writer.write(
    "channels",
    tables.map("zerver_stream", (row) => {
      const name = cleanLine(row.text("name"));
      if (name === "" || ids.has(row.id))
        throw new RowProblem("has no name, or its id is there twice");
      ids.add(row.id);
      const folder = row.maybeNumber("folder");
      return defined({
        id: row.id,
        name: names.take(name),
        description: cut(row.maybeText("description") ?? "", 1024),
        creator_id: creatorOf(row),
        date_created: row.maybeTime("date_created"),
        invite_only: row.flag("invite_only"),
        history_public_to_subscribers: row.flag("history_public_to_subscribers"),
        is_web_public: row.flag("is_web_public"),
        is_archived: row.flag("deactivated"),
        folder_id: folder !== undefined && folderIds.has(folder) ? folder : undefined,
        ...channelSettings(row, groupIds),
      });
    }),
  );
  await writer.write(
    "default_channels",
    tables.map("zerver_defaultstream", (row) => {
      const channel = row.number("stream");
      if (!ids.has(channel)) throw new RowProblem(`the channel ${channel} is not in the export`);
      return { channel_id: channel };
    }),
  );
  return ids;
}

/** Reads subscriptions: those of channels, and on the way the members of conversations. */
async function* subscriptionsOf(
  tables: RealmTables,
  targets: RecipientTargets,
  { accountIds, channelIds }: { accountIds: ReadonlySet<number>; channelIds: ReadonlySet<number> },
): AsyncGenerator<SubscriptionRecord> {
  yield* tables.stream("zerver_subscription", (row): SubscriptionRecord | undefined => {
    const recipient = row.number("recipient");
    const userId = row.number("user_profile");
    if (targets.addMember(recipient, userId)) return undefined;
    const channel = targets.channel(recipient);
    if (channel === undefined) return undefined;
    if (!channelIds.has(channel) || !accountIds.has(userId))
      throw new RowProblem("its channel or account is not in the export");
    const color = row.maybeText("color")?.toLowerCase();
    return defined({
      channel_id: channel,
      user_id: userId,
      active: row.flag("active"),
      is_muted: row.flag("is_muted"),
      pin_to_top: row.flag("pin_to_top"),
      color: color !== undefined && /^#[0-9a-f]{6}$/.test(color) ? color : undefined,
      desktop_notifications: row.maybeFlag("desktop_notifications"),
      audible_notifications: row.maybeFlag("audible_notifications"),
      push_notifications: row.maybeFlag("push_notifications"),
      email_notifications: row.maybeFlag("email_notifications"),
      wildcard_mentions_notify: row.maybeFlag("wildcard_mentions_notify"),
    });
  });
}

async function reactionsOf(
  tables: RealmTables,
  accountIds: ReadonlySet<number>,
  emojiIds: ReadonlySet<number>,
): Promise<ReactionTable> {
  const reactions = new ReactionTable();
  const rows = tables.stream("zerver_reaction", (row) => {
    const userId = row.number("user_profile");
    if (!accountIds.has(userId)) throw new RowProblem(`the account ${userId} is not in the export`);
    const type = row.text("reaction_type");
    const code = row.text("emoji_code");
    if (type !== "unicode_emoji" && type !== "realm_emoji" && type !== "zulip_extra_emoji")
      throw new RowProblem(`the type ${type} is unknown`);
    if (type === "realm_emoji" && !emojiIds.has(Number(code)))
      throw new RowProblem(`the emoji ${code} is not in the export`);
    const emoji = {
      reaction_type: type as NonNullable<MessageRecord["reactions"]>[number]["reaction_type"],
      emoji_name: row.text("emoji_name"),
      emoji_code: code,
    };
    return { messageId: row.number("message"), userId, emoji };
  });
  for await (const { messageId, userId, emoji } of rows) reactions.add(messageId, userId, emoji);
  return reactions;
}
