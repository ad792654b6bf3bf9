/** Characters that show nothing by themselves, change the text direction, or are blank without being white space. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800\ufff9-\ufffb]/gu;

/** Scripts in which an invisible character controls whether letters join. */
const joining =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}" +
  "\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}" +
  "\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}";

/**
 * Invisible characters with a legitimate use: joiners between two letters of a script that has them (Persian, Hindi)
 * and between the parts of an emoji, variation selectors after the characters that they vary, and the tags of flags.
 */
const needed = new RegExp(
  [
    `(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])`,
    "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
    "(?<=\\p{Emoji})[\\ufe0e\\ufe0f]",
    "(?<=\\p{Script=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]",
    "(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]",
    "(?<=\\u{1f3f4})[\\u{e0020}-\\u{e007e}]{1,8}\\u{e007f}",
  ].join("|"),
  "gu",
);

/** Returns the text without invisible characters, joiners included: for comparing texts, not for storing them. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(invisible, "");
}

/** Characters with a visible shape. */
const visible = /[\p{L}\p{N}\p{P}\p{S}\p{Co}]/u;

/**
 * Finds what makes a name look like another one, or look empty.
 * @returns the first such character, such as `U+200B`; `"nothing"` if the text has no visible character; undefined if
 *   there is no problem
 */
export function invisibleCharacter(text: string): string | undefined {
  const rest = text.replaceAll(needed, "");
  const [found] = rest.match(invisible) ?? [];
  if (found !== undefined)
    return `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
  return visible.test(rest) ? undefined : "nothing";
}
