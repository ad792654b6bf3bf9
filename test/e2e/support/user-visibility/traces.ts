/** A place in a response that refers to a person. */
export interface Trace {
  readonly person: number;
  /** Whether it is the bare ID, or data of the person. */
  readonly idOnly: boolean;
  /** `messages[].sender_id`: without positions, and with `{}` for keys that are IDs. */
  readonly path: string;
}

/** Texts that people write are shown to their receivers, including names in them. */
const isText = (key: string) => /(^|_)content(_html_diff)?$/.test(key);

/**
 * Finds everything in the response that refers to one of the people.
 * @param secrets texts by person; no text of one person contains another person's
 */
export function tracesIn(
  answer: unknown,
  secrets: ReadonlyMap<number, ReadonlySet<string>>,
): Trace[] {
  const whole = JSON.stringify(answer);
  const named = [...secrets].filter(
    ([person, own]) =>
      whole.includes(String(person)) || [...own].some((secret) => whole.includes(secret)),
  );
  const found: Trace[] = [];
  if (named.length === 0) return found;
  const ofText = (text: string, path: string): void => {
    for (const [person, own] of named) {
      if (text.includes(String(person))) found.push({ person, idOnly: true, path });
      for (const secret of own)
        if (text.includes(secret)) found.push({ person, idOnly: false, path });
    }
  };
  const look = (value: unknown, path: string): void => {
    if (typeof value === "number" || typeof value === "string") ofText(String(value), path);
    else if (Array.isArray(value)) for (const each of value) look(each, `${path}[]`);
    else if (typeof value === "object" && value !== null)
      for (const [key, each] of Object.entries(value)) {
        if (isText(key)) continue;
        const place = /^\d+$/.test(key) ? "{}" : key;
        const next = path === "" ? place : `${path}.${place}`;
        ofText(key, `${next} (key)`);
        look(each, next);
      }
  };
  look(answer, "");
  return found;
}
