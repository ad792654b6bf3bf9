/** A time of day, with the absolute time where the pointer rests. */
export function TimeOfDay({ seconds }: { readonly seconds: number }) {
  const date = new Date(seconds * 1_000);
  return (
    <time dateTime={date.toISOString()} title={absolute.format(date)}>
      {ofDay.format(date)}
    </time>
  );
}

/** A day and time, with the absolute time where the pointer rests. */
export function DayAndTime({ seconds }: { readonly seconds: number }) {
  const date = new Date(seconds * 1_000);
  return (
    <time dateTime={date.toISOString()} title={absolute.format(date)}>
      {dayAndTime.format(date)}
    </time>
  );
}

/** The day of a time, in words. */
export function dayOf(seconds: number): string {
  return days.format(seconds * 1_000);
}

const ofDay = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
