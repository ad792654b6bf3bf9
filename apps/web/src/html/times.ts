/**
 * Shows points in time in the zone of the person who reads; the pointer shows what was typed.
 * @param zone the browser's zone unless given
 */
export function localizeTimes(root: ParentNode, zone?: string): void {
  for (const time of root.querySelectorAll("time")) {
    const text = localTime(time.dateTime, zone);
    if (text === undefined) continue;
    time.title = time.textContent ?? "";
    time.textContent = text;
  }
}

/** Formats an instant, with the zone; undefined for an invalid one. */
export function localTime(instant: string, zone?: string, locale?: string): string | undefined {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return undefined;
  return new Intl.DateTimeFormat(locale, {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
    ...(zone !== undefined && { timeZone: zone }),
  }).format(date);
}
