const localPart = /^[^\s@"(),:;<>[\]\\\p{Cc}\p{Cs}]{1,64}$/u;
const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;

/** What a column holds. */
const maxLength = 254;

/** Whether the text is shaped like an e-mail address: no more than that, since only a delivery tells. */
export function isEmailAddress(text: string): boolean {
  if (text.length > maxLength) return false;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  const labels = text.slice(at + 1).split(".");
  if (at < 1 || !localPart.test(local) || /^\.|\.\.|\.$/.test(local)) return false;
  if (!labels.every((part) => label.test(part))) return false;
  return labels.length > 1 || labels[0] === "localhost";
}
