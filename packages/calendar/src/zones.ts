import { whenNeeded } from "@carillon/kit";
import type { Temporal } from "temporal-polyfill";
import { CalendarError, quoted } from "./calendar-error.ts";
import { dateOf, dayNumber } from "./dates.ts";
import { formatLocalTime, type LocalTime } from "./local-time.ts";

/** A local time in a zone. */
export interface ZonedTime {
  /** UNIX seconds. */
  readonly instant: number;
  /** `2026-12-01T09:00:00+01:00`. */
  readonly localTime: string;
  /** `gap` when the clock skipped the time that was asked for, `overlap` when it showed it twice. */
  readonly clock: "once" | "gap" | "overlap";
}

/** Conversions between local times and instants, by the time zones of this process. */
export interface Zones {
  /**
   * Returns an IANA name, accepted in any letter case, in its usual spelling. Aliases are kept, not resolved.
   * @throws CalendarError for `timezone`, for offsets too
   */
  canonicalName(name: string): string;
  /**
   * Converts a local time. In a gap it is the first instant after the gap, in an overlap the first of the two.
   * @param zone canonical name
   */
  toInstant(time: LocalTime, zone: string): ZonedTime;
  /**
   * Returns what the clocks of a zone show, without parts of a second.
   * @param instant UNIX seconds
   */
  toLocal(instant: number, zone: string): LocalTime & { readonly localTime: string };
}

/** Version of the time zone database of this process, such as `2025c`. */
export const tzdataVersion: string = process.versions["tz"] ?? "unknown";

/** Loads the conversions, 0.4 MB of code. */
export const loadZones: () => Promise<Zones> = whenNeeded(async () =>
  remembering(zonesOf((await import("temporal-polyfill")).Temporal)),
);

/** Maximum entries of each cache of {@link remembering}. */
const remembered = 1_000;

/**
 * Returns the same conversions with caches of names and of local times, because many series of a batch are due at the same
 * local time: without the caches, conversions took 7 % of the worker's time for an occurrence.
 */
function remembering(zones: Zones): Zones {
  const names = new Map<string, string>();
  const instants = new Map<string, ZonedTime>();
  return {
    ...zones,
    canonicalName: (name) => recall(names, name, () => zones.canonicalName(name)),
    toInstant: (time, zone) =>
      recall(instants, `${zone} ${time.day} ${time.second}`, () => zones.toInstant(time, zone)),
  };
}

/** Returns the cached value, or computes and caches it. Clears the cache when it is full. */
function recall<Value>(memory: Map<string, Value>, key: string, make: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (memory.size >= remembered) memory.clear();
  memory.set(key, value);
  return value;
}

const nameForm = /^[a-z][a-z0-9_+-]*(?:\/[a-z0-9_+-]+){0,3}$/i;
const maxNameLength = 60;

function zonesOf({ PlainDateTime, Instant }: typeof Temporal): Zones {
  return {
    canonicalName(name) {
      const known = name.length <= maxNameLength && nameForm.test(name);
      const zone = known
        ? zonedOrUndefined(() => Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name))
        : undefined;
      if (!zone)
        throw new CalendarError(
          "timezone",
          `${quoted(name)} is not an IANA time zone: use a name like Europe/Berlin or UTC, not an offset`,
        );
      return zone.timeZoneId;
    },
    toInstant(time, zone) {
      const { year, month, day } = dateOf(time.day);
      const { second } = time;
      const [hours, minutes] = [Math.floor(second / 3_600), Math.floor(second / 60) % 60];
      const plain = new PlainDateTime(year, month, day, hours, minutes, second % 60);
      const first = plain.toZonedDateTime(zone, { disambiguation: "earlier" });
      const later = plain.toZonedDateTime(zone, { disambiguation: "later" });
      if (first.epochMilliseconds === later.epochMilliseconds) return zoned(first, "once");
      if (first.toPlainDateTime().equals(plain)) return zoned(first, "overlap");
      // In a gap, `first` is an instant before the transition.
      return zoned(first.getTimeZoneTransition("next") ?? later, "gap");
    },
    toLocal(instant, zone) {
      const found = Instant.fromEpochMilliseconds(Math.floor(instant) * 1_000).toZonedDateTimeISO(
        zone,
      );
      const second = found.hour * 3_600 + found.minute * 60 + found.second;
      return {
        day: dayNumber(found.year, found.month, found.day),
        second,
        localTime: zoned(found, "once").localTime,
      };
    },
  };
}

function zonedOrUndefined(make: () => Temporal.ZonedDateTime): Temporal.ZonedDateTime | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function zoned(time: Temporal.ZonedDateTime, clock: ZonedTime["clock"]): ZonedTime {
  const day = dayNumber(time.year, time.month, time.day);
  const second = time.hour * 3_600 + time.minute * 60 + time.second;
  return {
    instant: Math.floor(time.epochMilliseconds / 1_000),
    localTime: `${formatLocalTime({ day, second })}${time.offset}`,
    clock,
  };
}
