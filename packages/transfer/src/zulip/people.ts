import { roles } from "@carillon/contract";

import { jsonItems } from "../archives/json-items.ts";
import type { SourceArchive } from "../archives/source-archive.ts";
import { cleanFullName } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { PictureMaker } from "../picture-maker.ts";
import type { AccountRecord } from "../records.ts";
import { settingsColumnsOf } from "./personal-settings.ts";
import { bytesOf, carry, type RealmTables } from "./realm-tables.ts";
import { defined, Row, RowProblem } from "./row.ts";

const knownRoles = new Map(Object.values(roles).map((role) => [role as number, role]));

/** Kinds of bots that are carried over as they are: generic ones and incoming webhooks. */
const botTypes = new Set([1, 2]);

/** Bots that every organization has, by the addresses under which exports name them. */
const systemBots: ReadonlyMap<string, string> = new Map([
  ["notification-bot@zulip.com", "notification"],
  ["welcome-bot@zulip.com", "welcome"],
]);

/** Returns the accounts of an export, without pictures. */
export function accountsOf(tables: RealmTables, report: ConversionReport): AccountRecord[] {
  const addresses = new Set<string>();
  const known = new Set<number>();
  const account = (row: Row, isDummy: boolean): AccountRecord => {
    const address = row.text("delivery_email");
    if (address.length > 254 || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(address))
      throw new RowProblem("delivery_email is not an e-mail address");
    if (addresses.has(address.toLowerCase()))
      throw new RowProblem("another account has the delivery_email");
    if (known.has(row.id)) throw new RowProblem("another account has the id");
    const role = knownRoles.get(row.number("role"));
    if (role === undefined) throw new RowProblem("the role is unknown");
    const isBot = row.flag("is_bot");
    const botType = row.maybeNumber("bot_type") ?? 1;
    const isOtherBot = isBot && !botTypes.has(botType);
    if (isOtherBot)
      report.add({
        what: "bot",
        where: `realm.json, zerver_userprofile ${row.id}`,
        why: "is an outgoing webhook or runs on the server: became a deactivated bot",
      });
    addresses.add(address.toLowerCase());
    known.add(row.id);
    return defined({
      id: row.id,
      full_name: cleanFullName(row.text("full_name"), address.split("@")[0] ?? "account"),
      delivery_email: address,
      role,
      is_active: row.flag("is_active") && !isDummy && !isOtherBot,
      is_bot: isBot,
      ...(isBot && {
        bot_type: isOtherBot ? 1 : botType,
        bot_owner_id: row.maybeNumber("bot_owner"),
      }),
      ...(isDummy && { is_imported_stub: true }),
      date_joined: row.maybeTime("date_joined"),
      timezone: row.maybeText("timezone")?.slice(0, 40),
      email_address_visibility: row.maybeNumber("email_address_visibility"),
      ...settingsColumnsOf(row),
    });
  };
  return [
    ...tables.map("zerver_userprofile", (row) => account(row, false)),
    ...tables.map("zerver_userprofile_mirrordummy", (row) => account(row, true)),
    ...tables.map("zerver_userprofile_crossrealm", (row): AccountRecord | undefined => {
      const address = row.text("email");
      if (known.has(row.id)) return undefined;
      known.add(row.id);
      const kind = systemBots.get(address);
      return {
        id: row.id,
        full_name:
          kind === undefined ? cleanFullName(address.split("@")[0] ?? "", "bot") : `${kind} bot`,
        delivery_email: address,
        is_bot: true,
        bot_type: 1,
        is_active: kind !== undefined,
        ...(kind !== undefined && { system_bot_kind: kind }),
      };
    }),
  ];
}

/** Adds uploaded pictures to accounts: `avatars/records.json` says whose each file is. */
export async function withAvatars(
  accounts: readonly AccountRecord[],
  archive: SourceArchive,
  pictures: PictureMaker,
  report: ConversionReport,
): Promise<AccountRecord[]> {
  const files = new Map<number, string>();
  if (archive.size("avatars/records.json") !== undefined)
    for await (const { value } of jsonItems(
      "avatars/records.json",
      bytesOf(archive, "avatars/records.json"),
    )) {
      const row = carry(report, "avatars/records.json", "picture", () => new Row(value));
      if (!row) continue;
      const userId = row.maybeNumber("user_profile_id");
      const name = `avatars/${row.maybeText("path") ?? ""}`;
      if (userId === undefined || archive.size(name) === undefined) continue;
      // The original is the largest; thumbnails are made of it.
      if (name.endsWith(".original") || (!files.has(userId) && !name.endsWith("-medium.png")))
        files.set(userId, name);
    }
  const result: AccountRecord[] = [];
  for (const account of accounts) {
    const name = files.get(account.id);
    result.push(
      name === undefined ? account : { ...account, ...(await pictures.avatar(account.id, name)) },
    );
  }
  return result;
}
