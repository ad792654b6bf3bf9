import { texts } from "../texts.ts";
import type { HtmlContext } from "./context.ts";
import { temporaryAddress } from "./open-file.ts";
import { pictureOf } from "./picture-cache.ts";

const uploads = "/user_uploads/";

/** Maximum pixels of a preview. The style sheet makes it smaller on narrow screens. */
const most = { width: 420, height: 300 };

/**
 * Shows pictures, videos and sounds. Files need the account's key, which an address in HTML cannot carry: pictures are
 * fetched and shown from memory, videos and sounds are played from an address that is valid for a minute.
 */
export function showPictures(root: ParentNode, context: HtmlContext): void {
  for (const picture of root.querySelectorAll<HTMLImageElement>("img:not(.emoji)"))
    showPicture(picture, context);
  for (const media of root.querySelectorAll<HTMLMediaElement>("video, audio"))
    offerToPlay(media, context);
}

function showPicture(picture: HTMLImageElement, context: HtmlContext): void {
  const { organization } = context;
  const { src: path = "", originalDimensions, originalSrc } = picture.dataset;
  reserveSpace(picture, originalDimensions);
  picture.classList.add("picture");
  const name = picture.closest("a")?.title ?? "";
  if (!picture.alt) picture.alt = name || texts.html.picture;
  if (originalSrc !== undefined && !picture.closest("a")) linkTo(picture, originalSrc);
  if (!path.startsWith(uploads)) {
    if (path) picture.src = organization.site + path;
    return;
  }
  pictureOf(organization, path.slice(uploads.length), context.signal).then(
    (address) => (picture.src = address),
    () => picture.classList.add("picture-missing"),
  );
}

/** Lets a picture in the text open its file, like a preview. */
function linkTo(picture: HTMLImageElement, path: string): void {
  const link = document.createElement("a");
  link.setAttribute("href", path);
  picture.replaceWith(link);
  link.append(picture);
}

/** Sets the size before the picture has loaded, so that the list does not move when it arrives. */
function reserveSpace(picture: HTMLImageElement, dimensions: string | undefined): void {
  const size = previewSize(dimensions);
  if (!size) return;
  picture.width = size.width;
  picture.height = size.height;
}

/** Returns the size of a preview, given that of the picture (`4032x3024`). */
export function previewSize(
  dimensions: string | undefined,
): { readonly width: number; readonly height: number } | undefined {
  const [, w = 0, h = 0] = (/^(\d+)x(\d+)$/.exec(dimensions ?? "") ?? []).map(Number);
  if (w === 0 || h === 0) return undefined;
  const factor = Math.min(1, most.width / w, most.height / h);
  return {
    width: Math.max(1, Math.round(w * factor)),
    height: Math.max(1, Math.round(h * factor)),
  };
}

/** Replaces a video or a sound by a button that plays it. The file is requested when the button is pressed. */
function offerToPlay(media: HTMLMediaElement, context: HtmlContext): void {
  const link = media.closest("a");
  const path = media.dataset["src"];
  if (path === undefined || !path.startsWith(uploads)) return;
  const name = media.title || link?.title || path.slice(path.lastIndexOf("/") + 1);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "media-button";
  button.textContent = texts.html.play(name);
  (link ?? media).replaceWith(button);
  button.addEventListener("click", () => {
    media.controls = true;
    media.autoplay = true;
    media.classList.add("media");
    media.setAttribute("aria-label", name);
    button.replaceWith(media);
    const play = () => void playFrom(media, path.slice(uploads.length), context);
    // The address may have expired when a person seeks in a long video.
    media.addEventListener("error", play);
    play();
  });
}

async function playFrom(
  media: HTMLMediaElement,
  pathId: string,
  { organization, signal }: HtmlContext,
): Promise<void> {
  if (signal.aborted) return;
  const at = media.currentTime;
  const triedAt = Number(media.dataset["triedAt"] ?? -Infinity);
  // A file that cannot be played at all would be requested again and again.
  if (performance.now() - triedAt < 10_000) return;
  media.dataset["triedAt"] = String(performance.now());
  try {
    media.src = await temporaryAddress(organization, pathId);
    media.currentTime = at;
  } catch {
    media.replaceWith(texts.html.notPlayed);
  }
}
