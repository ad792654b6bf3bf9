import { codeToNames, emojiNames } from "@carillon/markdown";
import { gemoji } from "gemoji";

/** An emoji as reactions have it. */
export interface EmojiName {
  readonly name: string;
  readonly code: string;
}

/** Slack's names that neither gemoji nor Unicode has for the emoji. */
const slackNames: Readonly<Record<string, string>> = {
  simple_smile: "🙂",
  the_horns: "🤘",
  thinking_face: "🤔",
  knife_fork_plate: "🍽",
  heavy_heart_exclamation_mark_ornament: "❣",
  rain_cloud: "🌧",
  snow_cloud: "🌨",
  lightning: "🌩",
  barely_sunny: "🌥",
  mostly_sunny: "🌤",
  partly_sunny_rain: "🌦",
  sleuth_or_spy: "🕵",
  man_in_business_suit_levitating: "🕴",
  lower_left_ballpoint_pen: "🖊",
  lower_left_crayon: "🖍",
  lower_left_fountain_pen: "🖋",
  lower_left_paintbrush: "🖌",
  hand_with_index_and_middle_fingers_crossed: "🤞",
  reversed_hand_with_middle_finger_extended: "🖕",
  raised_hand_with_fingers_splayed: "🖐",
  face_with_head_bandage: "🤕",
  white_frowning_face: "☹",
  shocked_face_with_exploding_head: "🤯",
  face_with_hand_over_mouth: "🤭",
  smiling_face_with_3_hearts: "🥰",
  grinning_face_with_star_eyes: "🤩",
  face_with_cowboy_hat: "🤠",
  person_with_headscarf: "🧕",
  large_green_circle: "🟢",
  large_yellow_circle: "🟡",
  large_orange_circle: "🟠",
  large_purple_circle: "🟣",
  large_brown_circle: "🟤",
  hugging_face: "🤗",
  face_palm: "🤦",
  waving_white_flag: "🏳",
  waving_black_flag: "🏴",
  email: "✉",
  "male-doctor": "👨‍⚕️",
  "female-doctor": "👩‍⚕️",
};

const skinTone = /::skin-tone-[2-6]$/;

/** Returns the emoji that a name of Slack means; undefined for a custom or unknown one. Skin tones are dropped. */
export function slackEmoji(slackName: string): EmojiName | undefined {
  const name = slackName.replace(skinTone, "").toLowerCase();
  const code = codeOf(name);
  return code === undefined ? undefined : emojiOfCode(code);
}

/** Returns the emoji of Unicode code points, in the form of Slack's rich text: `1f44d` or `1f44d-1f3fb`. */
export function emojiOfCode(code: string): EmojiName | undefined {
  const base = code
    .toLowerCase()
    .split("-")
    .filter((point) => !/^(?:fe0f|1f3f[b-f])$/.test(point))
    .map((point) => point.padStart(4, "0"))
    .join("-");
  const name = codeToNames.get(base)?.[0];
  return name === undefined ? undefined : { name, code: base };
}

let codes: ReadonlyMap<string, string> | undefined;

function codeOf(name: string): string | undefined {
  const flag = /^flag-([a-z]{2})$/.exec(name)?.[1];
  if (flag !== undefined)
    return Array.from(flag, (letter) => (0x1f1e6 + letter.charCodeAt(0) - 97).toString(16)).join(
      "-",
    );
  codes ??= collectCodes();
  return (
    codes.get(name) ??
    codes.get(name.replaceAll("-", "_")) ??
    codes.get(
      name
        .replace(/^male-/, "man-")
        .replace(/^female-/, "woman-")
        .replaceAll("-", "_"),
    ) ??
    emojiNames.get(name)
  );
}

/** Collects names of gemoji, which are mostly those of Slack, then those that Unicode describes the emoji with. */
function collectCodes(): Map<string, string> {
  const found = new Map<string, string>();
  const add = (name: string, emoji: string): void => {
    if (!found.has(name)) found.set(name, codePoints(emoji));
  };
  for (const [name, emoji] of Object.entries(slackNames)) add(name, emoji);
  for (const { emoji, names } of gemoji) for (const name of names) add(name, emoji);
  for (const { emoji, description } of gemoji)
    add(
      description
        .normalize("NFD")
        .replaceAll(/[\u0300-\u036f’']/g, "")
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "_")
        .replaceAll(/^_|_$/g, ""),
      emoji,
    );
  return found;
}

function codePoints(emoji: string): string {
  const points = Array.from(emoji, (character) => (character.codePointAt(0) ?? 0).toString(16));
  return points.filter((point) => point !== "fe0f").join("-");
}
