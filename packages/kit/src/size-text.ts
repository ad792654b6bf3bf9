const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Formats a number of bytes: `2.5 GiB`. */
export function sizeText(bytes: number): string {
  const power = Math.floor(Math.log2(Math.max(bytes, 1)) / 10);
  const unit = Math.min(power, units.length - 1);
  const amount = bytes / 1_024 ** unit;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit]}`;
}
