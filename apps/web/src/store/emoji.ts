import type { Emoji, Snapshot } from "@carillon/client";
import { signal } from "@preact/signals";
import { Keyed } from "./keyed.ts";
import type { Area, OrganizationEvent } from "./events.ts";

/** An emoji as reactions name it. */
export interface EmojiChoice {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
}

/** Emoji that are offered before a name is typed. */
export const common: readonly EmojiChoice[] = [
  { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" },
  { emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji" },
  { emoji_name: "heart", emoji_code: "2764", reaction_type: "unicode_emoji" },
  { emoji_name: "smile", emoji_code: "1f642", reaction_type: "unicode_emoji" },
  { emoji_name: "check", emoji_code: "2705", reaction_type: "unicode_emoji" },
  { emoji_name: "eyes", emoji_code: "1f440", reaction_type: "unicode_emoji" },
];

/** The organization's own emoji, and the names of all others, which are loaded when they are needed. */
export class EmojiNames implements Area {
  readonly own = new Keyed<string, Emoji>();
  readonly #unicode = signal<readonly EmojiChoice[]>(common);
  #url: string | undefined;
  #loading: Promise<void> | undefined;

  load(snapshot: Snapshot): void {
    this.own.replace(Object.entries(snapshot.realm_emoji ?? {}));
    const url = snapshot["server_emoji_data_url"];
    this.#url = typeof url === "string" ? url : undefined;
  }

  apply(event: OrganizationEvent): void {
    if (event.type !== "realm_emoji") return;
    if (event.op === "update") this.own.replace(Object.entries(event.realm_emoji));
    else if (event.op === "add") this.own.set(event.emoji.id, event.emoji);
    else this.own.patch(event.emoji_id, event.data);
  }

  /** Returns emoji whose names contain the text; those whose names begin with it come first. */
  find(text: string, most = 40): EmojiChoice[] {
    void this.loadNames();
    const word = text.trim().toLowerCase().replaceAll(" ", "_");
    const own = this.own
      .all()
      .filter(({ deactivated }) => !deactivated)
      .map(({ id, name }): EmojiChoice => ({
        emoji_name: name,
        emoji_code: id,
        reaction_type: "realm_emoji",
      }));
    const found = [...own, ...this.#unicode.value].filter(({ emoji_name }) =>
      emoji_name.includes(word),
    );
    const rank = ({ emoji_name }: EmojiChoice) => (emoji_name.startsWith(word) ? 0 : 1);
    return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
  }

  /** Loads the names of Unicode emoji unless they are loaded. If that fails, only the common ones are known. */
  loadNames(): Promise<void> {
    this.#loading ??= this.#fetchNames().catch(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #fetchNames(): Promise<void> {
    if (this.#url === undefined) return;
    const response = await fetch(this.#url);
    const data = (await response.json()) as { code_to_names: Record<string, string[]> };
    this.#unicode.value = Object.entries(data.code_to_names).flatMap(([code, names]) =>
      names.map((name): EmojiChoice => ({
        emoji_name: name,
        emoji_code: code,
        reaction_type: "unicode_emoji",
      })),
    );
  }
}
