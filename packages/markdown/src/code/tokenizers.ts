import { createRequire } from "node:module";
import type { StreamParser, StringStream } from "@codemirror/streamparser";

/** A tokenizer of one language. The type of its state is known to the tokenizer alone. */
export type Tokenizer = StreamParser<unknown>;

const require = createRequire(import.meta.url);
const loaded = new Map<string, Tokenizer>();

/** File and name of each language's tokenizer in `@codemirror/legacy-modes`, by its canonical name (`code-languages.ts`). */
const SOURCES: Readonly<Record<string, readonly [file: string, name: string]>> = {
  Bash: ["shell", "shell"],
  C: ["clike", "c"],
  "C#": ["clike", "csharp"],
  "C++": ["clike", "cpp"],
  CSS: ["css", "css"],
  Clojure: ["clojure", "clojure"],
  Dart: ["clike", "dart"],
  Diff: ["diff", "diff"],
  Docker: ["dockerfile", "dockerFile"],
  Go: ["go", "go"],
  Groovy: ["groovy", "groovy"],
  HTML: ["xml", "html"],
  Haskell: ["haskell", "haskell"],
  INI: ["properties", "properties"],
  JSON: ["javascript", "json"],
  Java: ["clike", "java"],
  JavaScript: ["javascript", "javascript"],
  Kotlin: ["clike", "kotlin"],
  LessCss: ["css", "less"],
  Lua: ["lua", "lua"],
  "Nginx configuration file": ["nginx", "nginx"],
  "Objective-C": ["clike", "objectiveC"],
  PHP: ["clike", "clike"],
  "PostgreSQL SQL dialect": ["sql", "pgSQL"],
  PowerShell: ["powershell", "powerShell"],
  Properties: ["properties", "properties"],
  Python: ["python", "python"],
  "Python 2.x": ["python", "python"],
  Ruby: ["ruby", "ruby"],
  Rust: ["rust", "rust"],
  S: ["r", "r"],
  SCSS: ["css", "sCSS"],
  SQL: ["sql", "standardSQL"],
  Scala: ["clike", "scala"],
  Swift: ["swift", "swift"],
  TOML: ["toml", "toml"],
  TypeScript: ["javascript", "typescript"],
  XML: ["xml", "xml"],
};

/** The languages whose code has token spans. */
export const tokenizedLanguages: readonly string[] = Object.keys(SOURCES);

/** Returns whether code of a language has token spans. @param language its canonical name */
export function hasTokenizer(language: string): boolean {
  return Object.hasOwn(SOURCES, language);
}

/**
 * Returns the tokenizer of a language, and loads it at the first block of code in that language. Uses `require`, because
 * rendering is synchronous.
 * @throws Error if the tokenizer cannot be loaded: plain code would differ from the HTML that other processes store
 */
export function tokenizerOf(language: string): Tokenizer {
  const known = loaded.get(language);
  if (known) return known;
  const source = SOURCES[language];
  if (source === undefined) throw new Error(`No tokenizer for ${language}`);
  const [file, name] = source;
  const exports = require(`@codemirror/legacy-modes/mode/${file}`) as Record<string, unknown>;
  const found = language === "PHP" ? php(exports[name] as Clike) : (exports[name] as Tokenizer);
  loaded.set(language, found);
  return found;
}

/** Creates the stream of a line. */
export function streamOf(line: string): StringStream {
  boundedStream ??= boundedStreamClass();
  return new boundedStream(line, 4, 4);
}

/** Maximum calls that a tokenizer may make to the stream of a line, for each character of the line. */
const MOST_CALLS = 100;

let boundedStream: typeof StringStream | undefined;

/**
 * Returns a class of streams that throw when a tokenizer calls them too often. The tokenizer of TOML otherwise loops
 * forever at a carriage return or a U+2028 in a string, because `.` in its regular expression does not match them.
 */
function boundedStreamClass(): typeof StringStream {
  const { StringStream: Stream } = require("@codemirror/streamparser") as {
    readonly StringStream: typeof StringStream;
  };
  return class extends Stream {
    #calls = 0;

    override peek() {
      this.#count();
      return super.peek();
    }

    override next() {
      this.#count();
      return super.next();
    }

    override eol() {
      this.#count();
      return super.eol();
    }

    override eat(match: Parameters<StringStream["eat"]>[0]) {
      this.#count();
      return super.eat(match);
    }

    override match(...given: Parameters<StringStream["match"]>) {
      this.#count();
      return super.match(...given);
    }

    #count(): void {
      if (++this.#calls > MOST_CALLS * (this.string.length + 1))
        throw new Error("The tokenizer calls the stream too often");
    }
  };
}

type Clike = (config: Readonly<Record<string, unknown>>) => Tokenizer;

/** Makes a tokenizer of PHP from the one of languages like C, because the package has none. */
function php(clike: Clike): Tokenizer {
  return clike({
    name: "php",
    keywords: words(
      "abstract as break case catch class clone const continue declare default die do echo else elseif empty enum exit " +
        "extends final finally fn for foreach function global goto if implements include include_once instanceof " +
        "insteadof interface isset list match namespace new print private protected public readonly require " +
        "require_once return static switch throw trait try unset use var while yield",
    ),
    atoms: words("true false null TRUE FALSE NULL"),
    blockKeywords: {},
    hooks: {
      $: (stream: StringStream) => {
        stream.eatWhile(/\w/);
        return "variable";
      },
      "#": (stream: StringStream) => {
        stream.skipToEnd();
        return "comment";
      },
      "<": (stream: StringStream) => (stream.match(/^\?(?:php\b|=)?/) ? "meta" : false),
      "?": (stream: StringStream) => (stream.eat(">") ? "meta" : false),
    },
  });
}

function words(list: string): Readonly<Record<string, true>> {
  return Object.fromEntries(list.split(" ").map((word) => [word, true]));
}
