import { compactWithZone, type TimeStyle } from "../time/words.ts";

/** Shows times in the reader's time zone. The tooltip of each time shows the original text. */
export function localizeTimes(root: ParentNode, style: TimeStyle): void {
  for (const time of root.querySelectorAll("time")) {
    const instant = Date.parse(time.dateTime);
    if (Number.isNaN(instant)) continue;
    time.title = time.textContent ?? "";
    time.textContent = compactWithZone(instant / 1_000, style);
  }
}
