/** Copies a text. @returns false without a clipboard, which browsers have on https and on this machine only, or if it refuses */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
