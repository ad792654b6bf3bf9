import { cutTo } from "@carillon/kit";

/** A parameter of a schedule. */
export type CalendarField = "start" | "timezone" | "rrule" | "excluded_dates" | "template";

/** A schedule that cannot be used. The message says what is wrong and what would be right, and quotes at most 40 characters. */
export class CalendarError extends Error {
  readonly field: CalendarField;

  constructor(field: CalendarField, message: string) {
    super(message);
    this.field = field;
  }
}

/** Quotes a part of what the client sent, cut to 40 characters. */
export function quoted(text: string): string {
  return `"${cutTo(text, 40, "…")}"`;
}
