import { finishRequest, type MadePicture, waitingRequest } from "@carillon/domain";
import { ObjectMissing } from "@carillon/files";
import { type ImageType, makeImages, type Rendition } from "@carillon/images";
import { makePictures, type PictureKind } from "@carillon/jobs";

import { callProcessor } from "../intent-processor.ts";
import { storeBytes } from "../store-bytes.ts";

const png = { fit: "cover", format: "png", animated: false } as const;

/** The pictures that are made for each kind of request (files.md §6). */
const renditions: Readonly<Record<PictureKind, readonly Rendition[]>> = {
  avatar: [
    { name: "avatar", width: 100, height: 100, ...png },
    { name: "avatar-medium", width: 500, height: 500, ...png },
  ],
  icon: [{ name: "icon", width: 100, height: 100, ...png }],
  logo: [{ name: "logo", width: 800, height: 100, ...png, fit: "inside" }],
  emoji: [
    { name: "emoji", width: 64, height: 64, fit: "cover", format: "original", animated: true },
  ],
};

/**
 * Milliseconds of decoding after which a picture is refused. The request waits for 20 s, so it is answered even behind another
 * picture that takes as long.
 */
const usualTimeoutMs = 8_000;

/** The first frame of an animated emoji. */
const stillEmoji: Rendition = { name: "emoji-still", width: 64, height: 64, ...png };

/** Makes and stores the pictures of a request that still waits for them. The request decides whether they are used. */
export default callProcessor(makePictures, async (db, intent, calling) => {
  const { files, signal, pictureTimeoutMs: timeoutMs = usualTimeoutMs } = calling;
  const { requestId } = intent.payload;
  const request = await waitingRequest(db, intent.realmId, requestId);
  if (!request) return undefined;
  const { kind, objectKey } = request;
  const made = await makeImages(
    async () => (await files.get(objectKey, { signal })).stream,
    ({ frames }) =>
      kind === "emoji" && frames > 1 ? [...renditions.emoji, stillEmoji] : renditions[kind],
    { signal, limits: { timeoutMs } },
  ).catch((error: unknown) => {
    // The request has ended and deleted its file.
    if (error instanceof ObjectMissing) return undefined;
    throw error;
  });
  if (!made) return undefined;
  const pictures: MadePicture[] = [];
  if (made.made)
    for (const [name, bytes] of made.files) {
      const { key, size, sha256 } = await storeBytes(db, files, bytes, signal);
      const contentType: ImageType = kind === "emoji" && name === "emoji" ? made.type : "image/png";
      pictures.push({ name, key, contentType, size, sha256: sha256.toString("base64") });
    }
  return (tx) => finishRequest(tx, intent.realmId, requestId, { pictures });
});
