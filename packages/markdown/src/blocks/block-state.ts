import MarkdownItEngine, { type Token } from "markdown-it";

const { State: EngineState } = new MarkdownItEngine().block;

/**
 * A token with the fields that {@link renderToken} reads. The engine's own token defines thirteen fields through a helper,
 * which took two thirds of the time of parsing a long list: 2,500 items are 12,500 tokens. Other fields that the engine's
 * rules set are dropped at once, so that the garbage collector does not copy them.
 */
class BlockToken {
  readonly type: string;
  readonly tag: string;
  readonly nesting: Token["nesting"];
  readonly level: number;
  attrs: Token["attrs"] = null;
  content = "";
  info = "";
  hidden = false;

  constructor(type: string, tag: string, nesting: Token["nesting"], level: number) {
    this.type = type;
    this.tag = tag;
    this.nesting = nesting;
    this.level = level;
  }

  attrGet(name: string): string | number | null {
    return this.attrs?.find(([given]) => given === name)?.[1] ?? null;
  }

  set map(_lines: unknown) {}
  set markup(_marker: unknown) {}
  set children(_tokens: unknown) {}
}

/** The engine's block parser state, with {@link BlockToken}s. */
export class BlockState extends EngineState {
  override push(type: string, tag: string, nesting: Token["nesting"]): Token {
    if (nesting < 0) this.level--;
    const token = new BlockToken(type, tag, nesting, this.level) as unknown as Token;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
}
