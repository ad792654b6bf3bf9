import { emojiCharacters } from "../emoji/emoji-characters.ts";
import type { Organization } from "../store/organization.ts";
import { texts } from "../texts.ts";
import type { CompletionToken } from "./completion-token.ts";
import { type Entry, entryOf, mostSuggestions, search } from "./completion-search.ts";

export interface Suggestion {
  readonly key: string;
  readonly label: string;
  /** Shown beside the label to distinguish entries of the same name. */
  readonly detail?: string | undefined;
  /** A character in front of the label. */
  readonly sign?: string | undefined;
  /** The address of a picture in front of the label. */
  readonly picture?: string | undefined;
  /** What replaces the text that was typed. */
  readonly text: string;
}

/** Suggests completions of the text before the caret. */
export class CompletionSources {
  readonly #organization: Organization;
  #people: readonly Entry<Suggestion>[] | undefined;
  #peopleOf: readonly unknown[] = [];
  readonly #topics = new Map<number, Promise<readonly string[]>>();

  constructor(organization: Organization) {
    this.#organization = organization;
  }

  async suggest(token: CompletionToken): Promise<readonly Suggestion[]> {
    switch (token.kind) {
      case "mention":
        return this.#mentions(token.typed).map((one) =>
          token.isSilent ? { ...one, text: one.text.replace("@", "@_") } : one,
        );
      case "channel":
        return this.#channels(token.typed);
      case "topic":
        return this.#topicsOf(token.channel, token.typed);
      case "emoji":
        return this.#emoji(token.typed);
    }
  }

  #mentions(typed: string): Suggestion[] {
    const wildcards = ["all", "topic"].map((name) =>
      entryOf(
        {
          key: name,
          label: name,
          detail: name === "all" ? texts.completion.all : texts.completion.participants,
          text: `@**${name}** `,
        },
        name,
        typed === "" ? 9 : 1,
      ),
    );
    return search([...this.#peopleEntries(), ...wildcards, ...this.#groupEntries()], typed);
  }

  /** The names of all people, prepared again when accounts are added, deactivated or renamed. */
  #peopleEntries(): readonly Entry<Suggestion>[] {
    const people = this.#organization.people.byId.all();
    const isSame =
      people.length === this.#peopleOf.length &&
      people.every((person, at) => person === this.#peopleOf[at]);
    if (this.#people && isSame) return this.#people;
    const shared = new Map<string, number>();
    for (const { full_name: name } of people)
      shared.set(name.toLowerCase(), (shared.get(name.toLowerCase()) ?? 0) + 1);
    const known = new Set(
      this.#organization.conversations.recent.peek().flatMap(({ others }) => others),
    );
    this.#peopleOf = people;
    this.#people = people
      .filter(({ is_active }) => is_active)
      .map(({ user_id: id, full_name: name, is_bot: isBot, email }) =>
        entryOf(
          {
            key: `person ${id}`,
            label: name,
            detail: isBot ? texts.completion.bot : email,
            text: `@**${name}${(shared.get(name.toLowerCase()) ?? 0) > 1 ? `|${id}` : ""}** `,
          },
          name,
          isBot ? 3 : known.has(id) ? 0 : 2,
        ),
      );
    return this.#people;
  }

  #groupEntries(): Entry<Suggestion>[] {
    return this.#organization.groups.byId
      .all()
      .filter(({ deactivated, is_system_group: isSystem }) => !deactivated && !isSystem)
      .map(({ id, name, members }) =>
        entryOf(
          {
            key: `group ${id}`,
            label: name,
            detail: texts.completion.group(members.length),
            text: `@*${name}* `,
          },
          name,
          2,
        ),
      );
  }

  #channels(typed: string): Suggestion[] {
    const { byId, subscriptions } = this.#organization.channels;
    const entries = byId
      .all()
      .filter(({ is_archived: isArchived }) => !isArchived)
      .map(({ stream_id: id, name, description }) =>
        entryOf(
          { key: String(id), label: `#${name}`, detail: description, text: `#**${name}** ` },
          name,
          subscriptions.get(id) ? 0 : 1,
        ),
      );
    return search(entries, typed);
  }

  async #topicsOf(channel: string, typed: string): Promise<Suggestion[]> {
    const { channels, client } = this.#organization;
    const known = channels.byId.all().find(({ name }) => name === channel);
    if (!known) return [];
    let topics = this.#topics.get(known.stream_id);
    if (!topics) {
      topics = client
        .listTopics({ stream_id: known.stream_id, allow_empty_topic_name: true })
        .then((answer) => answer.topics.map(({ name }) => name));
      this.#topics.set(known.stream_id, topics);
      // Loads them again later, because there may be new topics, or the request may have failed.
      setTimeout(() => this.#topics.delete(known.stream_id), 30_000);
    }
    const names = await topics.catch((): readonly string[] => []);
    // The latest first.
    const entries = names.map((name, at) =>
      entryOf(
        { key: name, label: name || texts.sidebar.noTopic, text: `#**${channel}>${name}** ` },
        name,
        at,
      ),
    );
    return search(entries, typed);
  }

  async #emoji(typed: string): Promise<Suggestion[]> {
    const { emoji, site } = this.#organization;
    await emoji.loadNames();
    return emoji
      .find(typed, mostSuggestions)
      .map(({ emoji_name: name, emoji_code: code, reaction_type: type }) => {
        const own = type === "realm_emoji" ? emoji.own.get(code) : undefined;
        return {
          key: `${type} ${name}`,
          label: `:${name}:`,
          ...(own ? { picture: site + own.source_url } : { sign: emojiCharacters(code) }),
          text: `:${name}: `,
        };
      });
  }
}
