import { signal } from "@preact/signals";
import type { Organization } from "../store/organization.ts";
import { texts } from "../texts.ts";
import type { ComposeState } from "./compose-state.ts";
import { upload } from "./upload.ts";

export interface RunningUpload {
  readonly id: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly progress: number;
  readonly cancel: () => void;
}

/** The files that are being uploaded for a compose box. Each becomes a link in its text. */
export class Uploads {
  readonly running = signal<readonly RunningUpload[]>([]);
  readonly #organization: Organization;
  readonly #compose: ComposeState;
  #last = 0;

  constructor(organization: Organization, compose: ComposeState) {
    this.#organization = organization;
    this.#compose = compose;
  }

  add(files: Iterable<File>): void {
    for (const file of files) void this.#upload(file);
  }

  async #upload(file: File): Promise<void> {
    const id = ++this.#last;
    const ending = new AbortController();
    const name = file.name || texts.compose.unnamedFile;
    this.running.value = [
      ...this.running.value,
      { id, name, progress: 0, cancel: () => ending.abort() },
    ];
    try {
      const url = await upload(this.#organization, file, {
        name,
        signal: ending.signal,
        onProgress: (progress) => {
          this.running.value = this.running.value.map((one) =>
            one.id === id ? { ...one, progress } : one,
          );
        },
      });
      const { content } = this.#compose;
      const gap = content.value === "" || /\s$/.test(content.value) ? "" : "\n";
      this.#compose.write(`${content.value}${gap}[${plain(name)}](${encodeURI(url)})`);
    } catch (error) {
      if (!ending.signal.aborted)
        this.#organization.notices.add(
          texts.compose.uploadFailed(name, error instanceof Error ? error.message : ""),
        );
    } finally {
      this.running.value = this.running.value.filter((one) => one.id !== id);
    }
  }
}

/** Removes characters that would end the text of a link. */
function plain(name: string): string {
  return name.replaceAll(/[[\]\n]/g, " ");
}
