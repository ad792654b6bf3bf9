// Loaded before a process: it names the version TZDATA_VERSION of the time zone database as its own.
Object.defineProperty(process, "versions", {
  value: { ...process.versions, tz: process.env.TZDATA_VERSION },
});
