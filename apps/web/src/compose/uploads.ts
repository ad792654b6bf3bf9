import { computed, signal } from "@preact/signals";
import type { Organization } from "../store/organization.ts";
import { texts } from "../texts.ts";
import type { ComposeState } from "./compose-state.ts";
import { movedPlace } from "./moved-place.ts";
import { upload } from "./upload.ts";

/** A file that is being uploaded, or whose upload has failed. */
export interface PendingUpload {
  readonly id: number;
  readonly name: string;
  readonly file: File;
  /** From 0 to 1. */
  readonly progress: number;
  /** Why the upload has failed; undefined while it is running. */
  readonly problem: string | undefined;
  readonly ending: AbortController;
}

/** The uploads of a compose box. Each file becomes a link at the place where the caret was when the person added the file. */
export class Uploads {
  readonly pending = signal<readonly PendingUpload[]>([]);
  readonly areRunning = computed(() =>
    this.pending.value.some(({ problem }) => problem === undefined),
  );
  readonly #organization: Organization;
  readonly #compose: ComposeState;
  /** Offset in the text at which the link of each file will be inserted. */
  readonly #places = new Map<number, number>();
  readonly #unsubscribe: () => void;
  #last = 0;

  constructor(organization: Organization, compose: ComposeState) {
    this.#organization = organization;
    this.#compose = compose;
    let before = compose.content.peek();
    this.#unsubscribe = compose.content.subscribe((after) => {
      for (const [id, place] of this.#places)
        this.#places.set(id, movedPlace(place, before, after));
      before = after;
    });
  }

  add(files: Iterable<File>): void {
    for (const file of files) {
      const id = ++this.#last;
      const name = file.name || texts.compose.unnamedFile;
      this.#places.set(id, this.#compose.caret);
      void this.#upload({ id, name, file });
    }
  }

  retry({ id, name, file }: PendingUpload): void {
    this.#drop(id);
    void this.#upload({ id, name, file });
  }

  cancel({ id, ending }: PendingUpload): void {
    ending.abort();
    this.#places.delete(id);
    this.#drop(id);
  }

  /** Cancels the running uploads, because their links would go into the text of a closed view. */
  close(): void {
    this.#unsubscribe();
    for (const { ending } of this.pending.value) ending.abort();
  }

  async #upload(chosen: Pick<PendingUpload, "id" | "name" | "file">): Promise<void> {
    const { id, name, file } = chosen;
    const ending = new AbortController();
    this.pending.value = [
      ...this.pending.value,
      { ...chosen, progress: 0, problem: undefined, ending },
    ];
    try {
      const url = await upload(this.#organization, file, {
        name,
        signal: ending.signal,
        onProgress: (progress) => this.#change(id, { progress }),
      });
      // The view was closed when the upload had just ended.
      if (ending.signal.aborted) return;
      this.#drop(id);
      this.#insert(id, `[${plain(name)}](${encodeURI(url)})`);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#change(id, { problem });
    }
  }

  #insert(id: number, link: string): void {
    const { content } = this.#compose;
    const place = this.#places.get(id) ?? content.value.length;
    this.#places.delete(id);
    // If several files were added at one place, their links keep the order in which the files were added.
    const later = [...this.#places].filter(([other, at]) => other > id && at === place);
    const inserted = spaced(link, content.value.slice(0, place), content.value.slice(place));
    this.#compose.insert(inserted, place);
    for (const [other] of later) this.#places.set(other, place + inserted.length);
  }

  #change(id: number, changes: Partial<PendingUpload>): void {
    this.pending.value = this.pending.value.map((one) =>
      one.id === id ? { ...one, ...changes } : one,
    );
  }

  #drop(id: number): void {
    this.pending.value = this.pending.value.filter((one) => one.id !== id);
  }
}

/** Adds a space between a link and an adjacent word. */
function spaced(link: string, before: string, after: string): string {
  return `${/\S$/.test(before) ? " " : ""}${link}${/^\S/.test(after) ? " " : ""}`;
}

/** Removes characters that would end the text of a link. */
function plain(name: string): string {
  return name.replaceAll(/[[\]\n]/g, " ");
}
