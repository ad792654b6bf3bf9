import { compactWithZone, type TimeStyle } from "../time/words.ts";

/** Shows points in time in the zone of the person who reads; the pointer shows what was typed. */
export function localizeTimes(root: ParentNode, style: TimeStyle): void {
  for (const time of root.querySelectorAll("time")) {
    const instant = Date.parse(time.dateTime);
    if (Number.isNaN(instant)) continue;
    time.title = time.textContent ?? "";
    time.textContent = compactWithZone(instant / 1_000, style);
  }
}
