import type { CodeToken } from "./tokenize.ts";

/** The rules of one language that map its tokens to Pygments' classes. */
interface Dialect {
  /** Class of names for which no other rule has a class; `n` unless given. */
  readonly name?: string;
  /** Class of a property; that of names unless given. */
  readonly property?: string;
  /** Class of quoted strings by their first sign; `s` unless given. */
  readonly strings?: Readonly<Record<string, string>>;
  /** Class of numbers, if all have the same. */
  readonly number?: string;
  /** Class of `meta` tokens; `cp` unless given, `nd` after `@`. */
  readonly meta?: string;
  /** Class of words to which the tokenizer gives no style. */
  readonly plain?: string;
  /** Classes of certain words outside strings and comments. */
  readonly words?: ReadonlyMap<string, string>;
  /** Classes of the tokenizer's styles that differ from {@link STYLES}. */
  readonly styles?: Readonly<Record<string, string>>;
}

const QUOTES = { '"': "s2", "'": "s1", "`": "sb" };
const CHARACTERS = { "'": "sc" };

/** Parses a list such as `kd: class def; kc: null` into classes by word. */
function words(list: string): ReadonlyMap<string, string> {
  return new Map(
    list.split("; ").flatMap((row) => {
      const [name = "", all = ""] = row.split(": ");
      return all.split(" ").map((word): [string, string] => [word, name]);
    }),
  );
}

const python: Dialect = {
  strings: QUOTES,
  meta: "nd",
  words: words("kn: import from; kc: None True False; ow: and or not in is; bp: self cls"),
};
const javascript: Dialect = {
  name: "nx",
  strings: QUOTES,
  number: "mf",
  words: words(
    "kd: const let var function class interface enum; ow: new typeof instanceof in delete void; kr: type abstract; " +
      "kc: null undefined true false NaN Infinity; kt: string number boolean any unknown never; " +
      "nb: Array Date Error JSON Map Math Number Object Promise RegExp Set String Symbol document window",
  ),
};
const sql: Dialect = {
  strings: { "'": "s1", '"': "s1" },
  plain: "n",
  styles: { builtin: "nb", type: "nb", atom: "k" },
};
const css: Dialect = {
  styles: {
    property: "k",
    def: "k",
    qualifier: "nc",
    builtin: "nn",
    atom: "kc",
    keyword: "kc",
    "variableName.constant": "nd",
    "variableName.function": "nb",
    "variableName.special": "nv",
    attribute: "nt",
  },
};
const scss: Dialect = { ...css, styles: { ...css.styles, property: "nt" } };
const settings: Dialect = {
  plain: "s",
  styles: { header: "k", def: "na", quote: "s" },
};

const DIALECTS: Readonly<Record<string, Dialect>> = {
  Bash: {
    name: "nv",
    strings: QUOTES,
    number: "m",
    meta: "ch",
    styles: { attribute: "" },
    words: words(
      "nb: alias cd echo eval exec exit export getopts hash help kill local popd printf pushd pwd read set shift " +
        "source test time trap type umask unalias unset wait declare; p: |; o: [ ] [[ ]]",
    ),
  },
  C: { strings: CHARACTERS },
  "C#": { words: words("k: null true false"), strings: CHARACTERS },
  "C++": { strings: CHARACTERS, words: words("nb: true false") },
  CSS: css,
  Clojure: {
    name: "nv",
    words: words(
      "kd: def defn defmacro defmulti defmethod ns fn; k: if let do loop recur when cond",
    ),
    styles: { keyword: "nb", atom: "ss" },
  },
  Dart: {
    strings: QUOTES,
    number: "m",
    words: words(
      "kd: final const var abstract class extends static; kt: void int double bool String num",
    ),
  },
  Diff: { styles: { meta: "gu", inserted: "gi", deleted: "gd" } },
  Docker: { strings: QUOTES },
  Go: {
    name: "nx",
    words: words(
      "kn: package import; kd: func var const type struct interface map chan; kc: nil true false iota; " +
        "kt: int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 string bool byte rune float32 float64 error; " +
        "nb: append cap close copy delete len make new panic print println recover",
    ),
  },
  Groovy: { strings: { '"': "s2", "'": "s1" }, words: words("kt: def int void boolean") },
  HTML: { styles: { angleBracket: "p", atom: "ni" } },
  Haskell: {
    words: words(
      "kr: module where import let in do case of data type newtype class instance deriving if then else; " +
        "ow: = :: -> <- =>",
    ),
    styles: { builtin: "n", type: "kt", qualifier: "nn" },
  },
  INI: settings,
  JSON: { strings: QUOTES, styles: { "string property": "nt" } },
  Java: {
    property: "na",
    strings: CHARACTERS,
    words: words(
      "kn: package import; kd: public private protected static final class interface enum extends implements abstract " +
        "synchronized native throws transient volatile; kc: null true false; n: String Object Integer",
    ),
  },
  JavaScript: javascript,
  Kotlin: {
    number: "m",
    words: words("kd: fun val var class object interface; kc: null true false; k: when"),
  },
  LessCss: scss,
  Lua: {
    name: "nv",
    strings: QUOTES,
    words: words(
      "kd: local; kr: function if then return end for do while else elseif repeat until break goto; kc: nil true false; " +
        "ow: and or not",
    ),
  },
  "Nginx configuration file": { name: "s", plain: "s", styles: { controlKeyword: "kn" } },
  "Objective-C": { words: words("bp: NSString NSArray NSObject NSDictionary") },
  PHP: {
    name: "nx",
    property: "na",
    strings: QUOTES,
    words: words("k: null true false"),
  },
  "PostgreSQL SQL dialect": { ...sql, styles: { ...sql.styles, keyword: "k" }, number: "mf" },
  PowerShell: { name: "nv", strings: QUOTES, number: "n", words: words("p: =") },
  Properties: settings,
  Python: python,
  "Python 2.x": python,
  Ruby: {
    strings: { '"': "s2", "'": "s1", "`": "sb" },
    styles: { atom: "ss", tag: "n", propertyName: "vi" },
    words: words(
      "kp: nil true false attr_reader attr_writer attr_accessor private public protected include extend raise; " +
        "nb: require puts print p loop lambda proc require_relative; ow: and or not",
    ),
  },
  Rust: {
    strings: CHARACTERS,
    words: words(
      "kd: let const static; kc: true false; kt: i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 usize isize f32 f64 bool char " +
        "str; nb: String Vec Option Some None Ok Err Result Box; p: -> =>",
    ),
  },
  S: {
    number: "m",
    words: words(
      "kr: function if else for while repeat break next in return; kc: TRUE FALSE NULL NA Inf NaN",
    ),
  },
  SCSS: scss,
  SQL: sql,
  Scala: {
    words: words("kd: val var lazy; kc: null true false"),
    styles: { type: "nc" },
  },
  Swift: {
    words: words(
      "kd: import func let var class struct enum protocol extension init static; kc: nil true false; " +
        "nb: Int String Bool Double Float Array Dictionary",
    ),
  },
  TOML: {
    name: "n",
    strings: { '"': "s2", "'": "s1" },
    styles: { atom: "k" },
    words: words("kc: true false"),
  },
  TypeScript: javascript,
  XML: { styles: { angleBracket: "nt", atom: "ni" } },
};

/** Pygments' class of a tokenizer's style. */
const STYLES: Readonly<Record<string, string>> = {
  angleBracket: "p",
  atom: "kc",
  attribute: "na",
  attributeName: "na",
  attributeValue: "s",
  bracket: "p",
  builtin: "nb",
  controlKeyword: "k",
  keyword: "k",
  macroName: "fm",
  modifier: "k",
  punctuation: "p",
  qualifier: "n",
  standard: "nb",
  tag: "nt",
  tagName: "nt",
  type: "kt",
  typeName: "kt",
};

/** Keywords, with the class of the name that follows them. */
const DEFINING: Readonly<Record<string, string>> = {
  def: "nf",
  defn: "nv",
  fn: "nf",
  fun: "nf",
  func: "nf",
  function: "nf",
  class: "nc",
  enum: "nc",
  interface: "nc",
  object: "nc",
  protocol: "nc",
  struct: "nc",
  trait: "nc",
  import: "nn",
  from: "nn",
  module: "nn",
  namespace: "nn",
  package: "nn",
  use: "nn",
};

/** The languages in which the name after an importing keyword is the name of a module (`nn`). */
const IMPORTING: ReadonlySet<string> = new Set(["Python", "Python 2.x", "Java", "C#", "Haskell"]);

/** Finds the classes that Pygments gives the tokens of one block of code, in their order. */
export class TokenClasses {
  readonly #language: string;
  readonly #dialect: Dialect;
  /** The last token that is not blank. */
  #last: { readonly text: string; readonly name: string } = { text: "", name: "" };
  /** Class of the last string. */
  #lastString = "s";
  /** Whether the last name is that of a module. */
  #isImport = false;

  constructor(language: string) {
    this.#language = language;
    this.#dialect = DIALECTS[language] ?? {};
  }

  /** Returns the class of a token; `""` for none. @param line the tokens of its line @param index its index in the line */
  next(line: readonly CodeToken[], index: number): string {
    const token = line[index];
    if (token === undefined || token.text.trim() === "") return "";
    const name = this.#classOf(token, line, index);
    if (/^s[12bdr]?$/.test(name)) this.#lastString = name;
    this.#last = { text: token.text, name };
    return name;
  }

  #classOf(token: CodeToken, line: readonly CodeToken[], index: number): string {
    const { text, style } = token;
    const dialect = this.#dialect;
    const own = dialect.styles?.[style];
    const [base = ""] = style.split(/[ .]/);
    if (base === "comment") return commentClass(text) ?? (this.#last.name === "cm" ? "cm" : "c1");
    if (base === "string") return own ?? this.#string(token, line, index);
    if (base !== "meta" && /^[^\p{L}\p{N}_$@]+$/u.test(text) && style !== "atom")
      return dialect.words?.get(text) ?? own ?? this.#sign(text);
    const word = dialect.words?.get(text);
    if (word !== undefined) return word;
    if (own !== undefined) return own;
    switch (base) {
      case "number":
        return dialect.number ?? numberClass(text);
      case "meta":
        return text.startsWith("@") ? "nd" : (dialect.meta ?? "cp");
      case "inserted":
      case "deleted":
        return base === "inserted" ? "gi" : "gd";
      case "def":
      case "variable":
      case "variable-2":
      case "variable-3":
      case "variableName":
        return this.#name(token, line, index);
      case "property":
      case "propertyName":
        return dialect.property ?? dialect.name ?? "n";
      case "operator":
      case "":
        return this.#sign(text);
      default:
        return STYLES[base] ?? "";
    }
  }

  #name({ text, style }: CodeToken, line: readonly CodeToken[], index: number): string {
    const defined = Object.hasOwn(DEFINING, this.#last.text)
      ? DEFINING[this.#last.text]
      : undefined;
    if (text.startsWith("$")) return "nv";
    const all = this.#dialect.name;
    if (all === "nx" && this.#language !== "PHP") return all;
    if (this.#last.text === "." && this.#isImport) return "nn";
    this.#isImport = defined === "nn" && IMPORTING.has(this.#language);
    if (defined !== undefined && (defined !== "nn" || IMPORTING.has(this.#language)))
      return defined;
    const isCalled = line[index + 1]?.text.startsWith("(") === true;
    if (isCalled && (style === "def" || this.#last.name === "kt")) return "nf";
    return all ?? "n";
  }

  #sign(text: string): string {
    if (/^[()[\]{};,]+$/.test(text)) return "p";
    if (/^[.:]+$/.test(text))
      return this.#language.startsWith("Python") && text === "." ? "o" : "p";
    if (/^[-+*/%=<>!&|^~?:.@#\\$]+$/.test(text)) return "o";
    if (/^[\p{L}\d_]/u.test(text)) return this.#dialect.plain ?? "";
    return "";
  }

  #string({ text }: CodeToken, line: readonly CodeToken[], index: number): string {
    if (this.#dialect === javascript && /^\/.*\/[a-z]*$/.test(text)) return "sr";
    const sign = /^(?:[a-zA-Z]{0,3}|@|\$)(["'`])/.exec(text)?.[1];
    const isFirst = line.findIndex((other) => other.text.trim() !== "") === index;
    // A string at the beginning of a line may continue a string of the line before.
    if (sign === undefined || (isFirst && this.#last.name === "sd")) return this.#lastString;
    if (this.#dialect === python && isFirst && /^(?:"""|''')/.test(text)) return "sd";
    return this.#dialect.strings?.[sign] ?? "s";
  }
}

/** Returns the class of a comment by its opening; undefined without one, as in a line that continues a comment. */
function commentClass(text: string): string | undefined {
  if (text.startsWith("#!")) return "ch";
  if (/^(?:\/\*|<!--|\{-|--\[\[|<#|\(\*)/.test(text)) return "cm";
  return /^(?:\/\/|#|--|;|%|!)/.test(text) ? "c1" : undefined;
}

function numberClass(text: string): string {
  if (/^0x/i.test(text)) return "mh";
  if (/^0b/i.test(text)) return "mb";
  if (/^0o/i.test(text)) return "mo";
  if (text === ".") return "p";
  return /^[\d_]*\.|^\d+e/i.test(text) ? "mf" : "mi";
}
