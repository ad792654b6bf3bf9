import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";

import { makeImages, type Rendition } from "@carillon/images";

import type { SourceArchive } from "./archives/source-archive.ts";
import type { ConversionReport } from "./conversion-report.ts";
import type { TransferWriter } from "./writer.ts";

const png = { fit: "cover", format: "png", animated: false } as const;

/** Sizes of avatars (files.md §6). */
const avatars: readonly Rendition[] = [
  { name: "avatar", width: 100, height: 100, ...png },
  { name: "avatar-medium", width: 500, height: 500, ...png },
];
const emoji: Rendition = {
  name: "emoji",
  width: 64,
  height: 64,
  fit: "cover",
  format: "original",
  animated: true,
};
/** The first frame of an animated emoji. */
const stillEmoji: Rendition = { name: "still", width: 64, height: 64, ...png };

/** File extensions of emoji, by content type. */
const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

type Renditions = Parameters<typeof makeImages>[1];

/** A record of `pictures.ndjson`. */
type PictureRecord = Readonly<Record<string, unknown>>;

/** Makes avatars and emoji from the pictures of an export. Each is made in a separate process, as workers do with uploads. */
export class PictureMaker {
  readonly records: PictureRecord[] = [];
  readonly #archive: SourceArchive;
  readonly #writer: TransferWriter;
  readonly #report: ConversionReport;
  readonly #realmId: number;

  constructor(
    {
      archive,
      writer,
      report,
    }: { archive: SourceArchive; writer: TransferWriter; report: ConversionReport },
    realmId: number,
  ) {
    this.#archive = archive;
    this.#writer = writer;
    this.#report = report;
    this.#realmId = realmId;
  }

  /** Makes an avatar. Returns the columns for the record of its account; no columns if no avatar could be made. */
  async avatar(userId: number, file: string): Promise<object> {
    const made = await this.#make(file, avatars);
    if (!made) return {};
    // The random part of its address.
    const name = randomBytes(18).toString("base64url");
    await this.#add(`${name}.png`, made.files.get("avatar"), "image/png", userId);
    await this.#add(`${name}-medium.png`, made.files.get("avatar-medium"), "image/png", userId);
    return { avatar_source: "U", avatar_file: name };
  }

  /** Makes an emoji. Returns the columns for its record; undefined if no emoji could be made. */
  async emoji(
    id: number,
    file: string,
  ): Promise<{ readonly file: string; readonly still_file?: string } | undefined> {
    const made = await this.#make(file, ({ frames }) =>
      frames > 1 ? [emoji, stillEmoji] : [emoji],
    );
    const extension = made ? extensions[made.type] : undefined;
    if (!made || extension === undefined) return undefined;
    const name = `${id}.${extension}`;
    await this.#add(`emoji/images/${name}`, made.files.get("emoji"), made.type);
    const still = made.files.get("still");
    if (!still) return { file: name };
    await this.#add(`emoji/images/still/${id}.png`, still, "image/png");
    return { file: name, still_file: `${id}.png` };
  }

  async #make(file: string, renditions: Renditions) {
    const made = await makeImages(() => this.#archive.open(file), renditions, {
      signal: new AbortController().signal,
    });
    if (made.made) return made;
    this.#report.add({
      what: "picture",
      where: file,
      why:
        made.reason === "notDecodable"
          ? "cannot be read as a picture"
          : "is too large for a picture",
    });
    return undefined;
  }

  async #add(
    path: string,
    bytes: Buffer | undefined,
    type: string,
    userId?: number,
  ): Promise<void> {
    if (!bytes) throw new Error(`${path} was not made`);
    const content = {
      sha256: createHash("sha256").update(bytes).digest("hex"),
      size: bytes.length,
    };
    await this.#writer.addFile(content, async () => Readable.from([bytes]));
    this.records.push({
      path: `${this.#realmId}/${path}`,
      content_type: type,
      ...(userId !== undefined && { user_id: userId }),
      ...content,
    });
  }
}
