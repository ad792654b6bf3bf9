import MarkdownItEngine, { type MarkdownIt } from "markdown-it";
import type { BlockRule } from "./blocks/block-rule.ts";
import { BlockState } from "./blocks/block-state.ts";
import { fence } from "./blocks/fence.ts";
import { heading } from "./blocks/heading.ts";
import { list, nestByTwo } from "./blocks/list.ts";
import { quote } from "./blocks/quote.ts";
import { table } from "./blocks/table.ts";

/** The Markdown engine with our block rules. `inline/scan.ts` parses inline markup. */
export const engine = makeEngine();

function makeEngine(): MarkdownIt {
  const engine = new MarkdownItEngine({ html: false });
  engine.block.State = BlockState;
  const { ruler } = engine.block;
  const interrupts = ["paragraph", "reference", "blockquote"];
  ruler.at("table", table(originalRule("table")), { alt: ["paragraph", "reference"] });
  ruler.at("fence", fence, { alt: [...interrupts, "list"] });
  ruler.at("blockquote", quote(originalRule("blockquote")), { alt: [...interrupts, "list"] });
  ruler.at("list", list(originalRule("list")), { alt: interrupts });
  ruler.at("heading", heading, { alt: interrupts });
  ruler.disable(["reference", "html_block", "lheading"]);
  ruler.before("table", "nest_by_two", nestByTwo);
  return engine;
}

function originalRule(name: string): BlockRule {
  const { ruler } = new MarkdownItEngine().block;
  ruler.enableOnly(name);
  const [rule] = ruler.getRules("");
  if (rule === undefined) throw new Error(`The Markdown engine has no block rule ${name}`);
  return rule;
}
