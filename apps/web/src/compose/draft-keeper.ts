import type { Draft } from "@carillon/client";
import { type Conversation, keyOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";

/** Milliseconds without a change after which a text is stored. */
const restMs = 1_500;

type DraftContent = Omit<Draft, "id" | "timestamp">;

/** Stores the text of a compose box as a draft on the server, one request after the other. */
export class DraftKeeper {
  readonly #organization: Organization;
  #draftId: number | undefined;
  /** Key of the conversation that the text goes to. */
  #key: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest: DraftContent | undefined;
  #queue = Promise.resolve();
  /** Whether another tab has changed the text, and may have created the draft for it. */
  #isShared = false;

  constructor(organization: Organization) {
    this.#organization = organization;
  }

  /** Returns the latest draft of a conversation, which later texts replace. */
  find(key: string): Draft | undefined {
    this.#key = key;
    const draft = this.#organization.plans.drafts
      .all()
      .filter((one) => one.type !== "" && keyOf(conversationOfDraft(one)) === key)
      .toSorted((a, b) => b.timestamp - a.timestamp)[0];
    this.#draftId = draft?.id;
    return draft;
  }

  keep(conversation: Conversation | undefined, content: string): void {
    if (conversation) this.#key = keyOf(conversation);
    if (this.#organization.settings.own.get("enable_drafts_synchronization") === false) return;
    clearTimeout(this.#timer);
    this.#latest = draftOf(conversation, content);
    this.#timer = setTimeout(() => this.#store(), restMs);
  }

  /** Drops the pending change, because another tab has changed the text and stores it. Later changes edit the same draft. */
  share(): void {
    clearTimeout(this.#timer);
    this.#latest = undefined;
    this.#isShared = true;
  }

  /** Deletes the draft. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#latest = undefined;
    this.#enqueue(async () => {
      const id = this.#currentId();
      this.#draftId = undefined;
      if (id !== undefined) await this.#organization.client.deleteDraft({ draft_id: id });
    });
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
      const id = this.#currentId();
      const isThere = id !== undefined && plans.drafts.get(id) !== undefined;
      if (draft.content.trim() === "") {
        this.#draftId = undefined;
        if (isThere) await client.deleteDraft({ draft_id: id });
      } else if (isThere) await client.editDraft({ draft_id: id, draft });
      else [this.#draftId] = (await client.createDrafts({ drafts: [draft] })).ids;
    });
  }

  #currentId(): number | undefined {
    const { drafts } = this.#organization.plans;
    const isThere = this.#draftId !== undefined && drafts.get(this.#draftId) !== undefined;
    if (!isThere && this.#isShared && this.#key !== undefined) this.find(this.#key);
    return this.#draftId;
  }

  /** A draft that is not stored is no loss: the browser has the text, too. */
  #enqueue(request: () => Promise<void>): void {
    this.#queue = this.#queue.then(request).catch(() => {});
  }
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
