/** What browsers and upstream take. */
const maxLength = 2_048;

const absolute = /^(?:https?|ftps?):\/\/[^\s\p{Cc}/?#\\]+(?:[/?#][^\s\p{Cc}]*)?$/iu;

/** Whether the text is an absolute address of http, https, ftp or ftps (settings-and-profile-fields.md §2.1). */
export function isLink(text: string): boolean {
  return text.length <= maxLength && absolute.test(text) && URL.canParse(text);
}
