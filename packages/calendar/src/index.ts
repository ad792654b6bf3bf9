export { CalendarError, type CalendarField } from "./calendar-error.ts";
export {
  dateOf,
  dayNumber,
  daysInMonth,
  existingDay,
  formatDate,
  isoWeekOf,
  lastDay,
  parseDate,
  weekdayNames,
  weekdayOf,
  type CalendarDate,
  type DayNumber,
} from "./dates.ts";
export { formatLocalTime, formatTimeOfDay, parseLocalTime, type LocalTime } from "./local-time.ts";
export { Recurrence } from "./recurrence.ts";
export {
  dayCodes,
  parseRule,
  type Frequency,
  type Rule,
  type RuleDay,
  type Until,
} from "./rule.ts";
export { Schedule, type Occurrence, type ScheduleParts, type ScheduleWarning } from "./schedule.ts";
export { checkTemplate, expandTemplate, type TemplateValues } from "./template.ts";
export { loadZones, tzdataVersion, type ZonedTime, type Zones } from "./zones.ts";
