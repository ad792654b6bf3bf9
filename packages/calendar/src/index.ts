export { CalendarError } from "./calendar-error.ts";
export {
  dateOf,
  dayNumber,
  existingDay,
  formatDate,
  parseDate,
  weekdayNames,
  weekdayOf,
  type DayNumber,
} from "./dates.ts";
export { formatLocalTime, formatTimeOfDay, parseLocalTime } from "./local-time.ts";
export { Recurrence } from "./recurrence.ts";
export { dayCodes, parseRule, type Rule, type Until } from "./rule.ts";
export { Schedule, type Occurrence, type ScheduleWarning } from "./schedule.ts";
export { checkTemplate, expandTemplate } from "./template.ts";
export { loadZones, tzdataVersion, type Zones } from "./zones.ts";
