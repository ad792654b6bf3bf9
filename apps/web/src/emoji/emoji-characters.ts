const isEmojiByItself = /\p{Emoji_Presentation}/u;
const isPicture = /\p{Emoji}/u;
const selector = "\ufe0f";

/**
 * Returns the characters of an emoji code such as `1f468-200d-1f4bb`. Codes have no variation selectors (rendering.md §3),
 * which characters need that are text otherwise, such as ❤.
 * @returns an empty text if the code is not one of a Unicode emoji
 */
export function emojiCharacters(code: string): string {
  if (!/^[\da-f]{2,6}(?:-[\da-f]{2,6})*$/i.test(code)) return "";
  const points = code.split("-").map((part) => Number.parseInt(part, 16));
  if (points.some((point) => point > 0x10ffff)) return "";
  return points
    .map((point, at) => {
      const character = String.fromCodePoint(point);
      const isText = isPicture.test(character) && !isEmojiByItself.test(character);
      // A skin tone takes the place of the selector.
      const next = points[at + 1] ?? 0;
      return isText && !(next >= 0x1f3fb && next <= 0x1f3ff) ? character + selector : character;
    })
    .join("");
}
