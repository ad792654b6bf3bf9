/** What a column holds; the longest name of the IANA database has 32. */
const maxLength = 40;

/**
 * The time zone as the IANA database spells it, aliases as given; undefined for a name that is none. Offsets like
 * `+01:00` are none.
 */
export function timezoneNamed(name: string): string | undefined {
  if (name.length > maxLength || !/^[A-Za-z]/.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return undefined;
  }
}
