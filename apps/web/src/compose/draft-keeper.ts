import type { Draft } from "@carillon/client";
import { storage } from "../storage.ts";
import { type Conversation, keyOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";

/** Milliseconds without a change after which a text is stored. */
const restMs = 1_500;
/** Characters of a draft to compare, because the server shortens longer texts. */
const compared = 9_000;

type DraftContent = Omit<Draft, "id" | "timestamp">;

/** The draft of a compose box, which all tabs of the browser share. */
interface OwnDraft {
  readonly id: number;
  /** The last two texts that this browser has shown or stored: the event of the last one may not have arrived. */
  readonly contents: readonly string[];
}

/** The parts of an organization that the keeper uses. */
interface Source extends Pick<Organization, "plans" | "settings"> {
  readonly client: Pick<Organization["client"], "createDrafts" | "editDraft" | "deleteDraft">;
}

/**
 * Stores the text of a compose box as a draft on the server, one request after the other. Changes or deletes a draft
 * with a text from another device only if the box has shown that text.
 */
export class DraftKeeper {
  readonly #organization: Source;
  readonly #storageKey: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest: DraftContent | undefined;
  #queue = Promise.resolve();

  /** @param storageKey the key under which the browser remembers which draft is the box's own */
  constructor(organization: Source, storageKey: string) {
    this.#organization = organization;
    this.#storageKey = storageKey;
  }

  /** Returns the text of the latest draft of a conversation, for the box to show. Later texts replace that draft. */
  adopt(conversation: Conversation): string | undefined {
    const key = keyOf(conversation);
    const draft = this.#organization.plans.drafts
      .all()
      .filter((one) => one.type !== "" && keyOf(conversationOfDraft(one)) === key)
      .toSorted((a, b) => b.timestamp - a.timestamp)[0];
    if (draft) this.#remember(draft.id, [draft.content]);
    return draft?.content;
  }

  keep(conversation: Conversation | undefined, content: string): void {
    if (this.#organization.settings.own.get("enable_drafts_synchronization") === false) return;
    clearTimeout(this.#timer);
    this.#latest = draftOf(conversation, content);
    this.#timer = setTimeout(() => this.#store(), restMs);
  }

  /** Drops the pending change: another tab has changed the text later, and stores it. */
  forgetChange(): void {
    clearTimeout(this.#timer);
    this.#latest = undefined;
  }

  /** Deletes the draft. */
  drop(): void {
    this.forgetChange();
    this.#enqueue(() => this.#remove());
  }

  /** Stores a pending change at once. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#latest) this.#store();
  }

  #store(): void {
    const draft = this.#latest;
    this.#latest = undefined;
    if (!draft) return;
    const { client, plans } = this.#organization;
    this.#enqueue(async () => {
      if (draft.content.trim() === "") return this.#remove();
      const own = this.#own();
      if (own && plans.drafts.get(own.id)) {
        this.#remember(own.id, [...own.contents.slice(-1), draft.content]);
        await client.editDraft({ draft_id: own.id, draft });
      } else {
        const [id] = (await client.createDrafts({ drafts: [draft] })).ids;
        if (id !== undefined) this.#remember(id, [draft.content]);
      }
    });
  }

  async #remove(): Promise<void> {
    const own = this.#own();
    storage.remove(this.#storageKey);
    if (own) await this.#organization.client.deleteDraft({ draft_id: own.id });
  }

  /** Returns the draft of this box; undefined if there is none, or if another device has changed it. */
  #own(): OwnDraft | undefined {
    const own = storage.read<OwnDraft>(this.#storageKey);
    if (!own) return undefined;
    const stored = this.#organization.plans.drafts.get(own.id);
    // The event that adds the new draft may not have arrived yet.
    if (!stored) return own;
    const isKnown = own.contents.some((content) => isSameText(content, stored.content));
    return isKnown ? own : undefined;
  }

  #remember(id: number, contents: readonly string[]): void {
    storage.write(this.#storageKey, { id, contents } satisfies OwnDraft);
  }

  /** A draft that is not stored is no loss: the browser has the text, too. */
  #enqueue(request: () => Promise<void>): void {
    this.#queue = this.#queue.then(request).catch(() => {});
  }
}

/** Compares texts as the server stores them: without white space at both ends. */
function isSameText(one: string, other: string): boolean {
  return one.trim().slice(0, compared) === other.trim().slice(0, compared);
}

export function conversationOfDraft({ type, to, topic }: DraftContent): Conversation {
  return type === "private"
    ? { others: to.toSorted((a, b) => a - b) }
    : { channelId: to[0] ?? 0, topic };
}

function draftOf(conversation: Conversation | undefined, content: string): DraftContent {
  if (!conversation) return { type: "", to: [], topic: "", content };
  if ("others" in conversation)
    return { type: "private", to: [...conversation.others], topic: "", content };
  return { type: "stream", to: [conversation.channelId], topic: conversation.topic, content };
}
