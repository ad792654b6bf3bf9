/** Whether clients show the text as an action of its sender: `/me waves` (messages.md §1.4). */
export function isMeMessage(content: string): boolean {
  return content.startsWith("/me ");
}
