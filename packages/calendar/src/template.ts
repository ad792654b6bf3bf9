import { CalendarError, quoted } from "./calendar-error.ts";
import { formatDate, isoWeekOf, weekdayNames, weekdayOf, type DayNumber } from "./dates.ts";

/** What a template knows about an occurrence. */
export interface TemplateValues {
  readonly day: DayNumber;
  /** 1 for the first message that is sent. */
  readonly number: number;
}

const values: Readonly<Record<string, (values: TemplateValues) => string>> = {
  "{": () => "{",
  "}": () => "}",
  "{date}": ({ day }) => formatDate(day),
  "{weekday}": ({ day }) => weekdayNames[weekdayOf(day)]!,
  "{week}": ({ day }) => String(isoWeekOf(day)),
  "{n}": ({ number }) => String(number),
};

/** Placeholders, doubled braces, and single braces, which are errors. */
const marks = /\{\{|\}\}|\{[a-z]*\}|[{}]/g;

/**
 * Checks the braces of a template.
 * @throws CalendarError for `template`
 */
export function checkTemplate(text: string): void {
  for (const [mark] of text.matchAll(marks))
    if (mark.length === 1)
      throw refused(`has a single ${mark}: write ${mark}${mark} where a brace is meant`);
    else if (mark !== "{{" && mark !== "}}" && !Object.hasOwn(values, mark))
      throw refused(
        `has ${quoted(mark)}: use {date}, {weekday}, {week} or {n}, and {{ and }} where braces are meant`,
      );
}

/** Expands a template that has passed the check. */
export function expandTemplate(text: string, occurrence: TemplateValues): string {
  return text.replaceAll(marks, (mark) => {
    const name = mark === "{{" || mark === "}}" ? mark[0]! : mark;
    return Object.hasOwn(values, name) ? values[name]!(occurrence) : mark;
  });
}

function refused(what: string): CalendarError {
  return new CalendarError("template", `The template ${what}`);
}
