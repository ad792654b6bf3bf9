import type { BlockRule } from "./block-rule.ts";
import { isTooDeep, lineText } from "./nesting.ts";

/** `> a`, by the engine's rule; a lone `>` is text. */
export function quote(original: BlockRule): BlockRule {
  return (state, start, end, silent) => {
    const text = lineText(state, start);
    if (text.charCodeAt(0) !== 0x3e || /^[> \t]*$/.test(text) || isTooDeep(state)) return false;
    return original(state, start, end, silent);
  };
}
