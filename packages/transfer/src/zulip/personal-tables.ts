import { linkifierProblem } from "@carillon/markdown";

import { cut } from "../clean-names.ts";
import type { RealmTables } from "./realm-tables.ts";
import { defined, type Row, RowProblem } from "./row.ts";

interface Known {
  readonly accountIds: ReadonlySet<number>;
  readonly channelIds: ReadonlySet<number>;
}

type Records = readonly Readonly<Record<string, unknown>>[];

/** Returns the small tables of an organization and of its people, with their records. */
export function personalTables(
  tables: RealmTables,
  { accountIds, channelIds }: Known,
): [string, Records][] {
  const user = (row: Row, name = "user_profile"): number => {
    const id = row.number(name);
    if (!accountIds.has(id)) throw new RowProblem(`the account ${id} is not in the export`);
    return id;
  };
  const alertWords = tables.map("zerver_alertword", (row) => ({
    id: row.id,
    user_id: user(row),
    word: cut(row.text("word"), 100),
    word_lower: cut(row.text("word"), 100).toLowerCase(),
  }));
  const counts = new Map<number, number>();
  for (const { user_id: id } of alertWords) counts.set(id, (counts.get(id) ?? 0) + 1);
  const fields = tables.map("zerver_customprofilefield", (row) => ({
    id: row.id,
    name: cut(row.text("name"), 40),
    hint: cut(row.maybeText("hint") ?? "", 80),
    field_type: row.number("field_type"),
    field_data: row.maybeText("field_data") ?? "",
    order: row.maybeNumber("order") ?? row.id,
    display_in_profile_summary: row.flag("display_in_profile_summary"),
    required: row.flag("required"),
    editable_by_user: row.maybeFlag("editable_by_user") ?? true,
    use_for_user_matching: row.flag("use_for_user_matching"),
  }));
  const fieldIds = new Set(fields.map(({ id }) => id));
  return [
    [
      "realm_domains",
      tables.map("zerver_realmdomain", (row) => ({
        id: row.id,
        domain: row.text("domain"),
        allow_subdomains: row.flag("allow_subdomains"),
      })),
    ],
    [
      "linkifiers",
      tables.map("zerver_realmfilter", (row) => {
        const [pattern, urlTemplate] = [row.text("pattern"), row.text("url_template")];
        const problem = linkifierProblem({ pattern, urlTemplate });
        if (problem !== undefined) throw new RowProblem(problem);
        const order = row.maybeNumber("order") ?? 0;
        return { id: row.id, pattern, url_template: urlTemplate, order };
      }),
    ],
    ["custom_profile_fields", fields],
    [
      "custom_profile_field_values",
      tables.map("zerver_customprofilefieldvalue", (row) => {
        const field = row.number("field");
        if (!fieldIds.has(field)) throw new RowProblem(`the field ${field} is not in the export`);
        return { user_id: user(row), field_id: field, value: row.text("value") };
      }),
    ],
    ["alert_words", alertWords],
    ["alert_word_owners", [...counts].map(([id, words]) => ({ user_id: id, words }))],
    [
      "navigation_views",
      tables.map("zerver_navigationview", (row) =>
        defined({
          id: row.id,
          user_id: user(row, "user"),
          fragment: row.text("fragment"),
          is_pinned: row.flag("is_pinned"),
          name: row.maybeText("name"),
        }),
      ),
    ],
    [
      "saved_snippets",
      tables.map("zerver_savedsnippet", (row) =>
        defined({
          id: row.id,
          user_id: user(row),
          title: cut(row.text("title"), 60),
          content: row.text("content"),
          date_created: row.maybeTime("date_created"),
        }),
      ),
    ],
    [
      "user_topics",
      tables.map("zerver_usertopic", (row) => {
        const channel = row.number("stream");
        if (!channelIds.has(channel))
          throw new RowProblem(`the channel ${channel} is not in the export`);
        const policy = row.number("visibility_policy");
        if (policy < 1 || policy > 3) return undefined;
        return defined({
          id: row.id,
          user_id: user(row),
          channel_id: channel,
          topic: cut(row.text("topic_name").trim(), 60),
          visibility_policy: policy,
          last_updated: row.maybeTime("last_updated"),
        });
      }),
    ],
    [
      "user_status",
      tables.map("zerver_userstatus", (row) => {
        const text = row.maybeText("status_text") ?? "";
        const emoji = row.maybeText("emoji_name") ?? "";
        // A row without either has only what older versions kept in it.
        if (text === "" && emoji === "") return undefined;
        return defined({
          user_id: user(row),
          status_text: cut(text, 60),
          ...(emoji !== "" && {
            emoji_name: emoji,
            emoji_code: row.text("emoji_code"),
            reaction_type: row.text("reaction_type"),
          }),
          updated_at: row.maybeTime("timestamp"),
        });
      }),
    ],
    [
      "muted_users",
      tables.map("zerver_muteduser", (row) =>
        defined({
          user_id: user(row),
          muted_user_id: user(row, "muted_user"),
          date_muted: row.maybeTime("date_muted"),
        }),
      ),
    ],
  ];
}
