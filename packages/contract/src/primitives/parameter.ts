import { ApiError } from "./api-error.ts";
import { errors } from "./errors.ts";

/** A JSON schema, as far as this package looks into one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How the text of one form field becomes a value. */
export interface Codec<T> {
  /** Decodes a text, or throws Unusable when it is not of the documented type (http-contract.md §5). */
  readonly decode: (text: string) => T;
  readonly schema: JsonSchema;
  /** The text is JSON (an array, an object); otherwise it is the value itself. */
  readonly json: boolean;
  /** Maximum length of the text, if not the usual one. */
  readonly maxLength?: number;
  /** Makes a reader for each text that may be too long for memory. */
  readonly reader?: () => TextReader<T>;
}

/** Reads the text of a field as a stream, so that it is never in memory as a whole. */
export interface TextReader<T> {
  /**
   * Takes the next piece; pieces cut no surrogate pair in two.
   * @throws Unusable as soon as the text cannot be of the documented type; callers then stop writing
   */
  readonly write: (text: string) => void;
  /** Returns the value of the complete text, or throws Unusable. */
  readonly end: () => T;
}

/** Why a text cannot be used, worded to follow the parameter's name: `must be an integer`. */
export class Unusable extends Error {}

/** Maximum length of a parameter's text, which is parsed and checked in one synchronous step. */
const maxText = 1_048_576;

interface Presence {
  readonly required: boolean;
  /** The value when the name is absent. */
  readonly fallback: unknown;
  readonly aliases: readonly string[];
  readonly description: string | undefined;
  readonly nullIs: "refused" | "null" | "absent";
  /** Checked, but without effect: it is reported as ignored. */
  readonly ignored: boolean;
  /** Not part of the fingerprint: the repeat of a request may have another value (once-and-again.md §1). */
  readonly mayDifferInRepeats: boolean;
}

const asDeclared: Presence = {
  required: true,
  fallback: undefined,
  aliases: [],
  description: undefined,
  nullIs: "refused",
  ignored: false,
  mayDifferInRepeats: false,
};

/**
 * One request parameter: its codec, and what its absence means. Required unless it says otherwise.
 * Immutable: every method returns a new parameter.
 */
export class Parameter<T> {
  readonly codec: Codec<T>;
  readonly presence: Presence;

  constructor(codec: Codec<T>, presence: Presence = asDeclared) {
    this.codec = codec;
    this.presence = presence;
  }

  /** Lets the parameter be absent: the input then holds `undefined`. */
  optional(): Parameter<T | undefined> {
    return this.#with<T | undefined>({ required: false });
  }

  /** Lets the parameter be absent: the input then holds `value`. */
  default<D extends T>(value: D): Parameter<Exclude<T, undefined>> {
    return this.#with<Exclude<T, undefined>>({ required: false, fallback: value });
  }

  /** Adds names that clients send in place of the parameter's; a request with two of them is refused. */
  alias(...names: string[]): Parameter<T> {
    return this.#with<T>({ aliases: names });
  }

  /**
   * Marks the parameter as not implemented: it is checked, and the answer names it in `ignored_parameters_unsupported`.
   */
  ignored(): Parameter<T> {
    return this.#with<T>({ ignored: true });
  }

  /** A repeat with the same `Idempotency-Key` may have another value (once-and-again.md §1). */
  mayDifferInRepeats(): Parameter<T> {
    return this.#with<T>({ mayDifferInRepeats: true });
  }

  /** A sentence or two of Markdown for the reference. */
  describe(description: string): Parameter<T> {
    return this.#with<T>({ description });
  }

  /** Allows JSON `null` as a value. */
  nullable(): Parameter<T | null> {
    return this.#with<T | null>({ nullIs: "null" });
  }

  /** Treats JSON `null` as an absent parameter. */
  nullMeansAbsent(): Parameter<T> {
    return this.#with<T>({ nullIs: "absent" });
  }

  /**
   * Returns the value of a parameter that was sent as `text`.
   * @throws ApiError `BAD_REQUEST` that names the parameter
   */
  decode(name: string, text: string): T {
    const { maxLength = maxText } = this.codec;
    if (text.length > maxLength)
      throw errors.badRequest(`${name} must not be longer than ${maxLength} characters`);
    if (this.presence.nullIs !== "refused" && isJsonNull(text)) {
      if (this.presence.nullIs === "absent") return this.absent(name);
      return null as T;
    }
    return this.#usable(name, () => this.codec.decode(text));
  }

  /**
   * Returns the value of a parameter whose text was read as a stream.
   * @param read the end of its reader
   * @throws ApiError `BAD_REQUEST` that names the parameter
   */
  decodeRead(name: string, read: () => unknown): T {
    return this.#usable(name, read as () => T);
  }

  #usable(name: string, decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      if (error instanceof Unusable) throw errors.badRequest(`${name} ${error.message}`);
      if (error instanceof ApiError) throw error;
      // A schema may run out of stack on hostile nesting: the fault is the text's, not the server's.
      throw errors.badRequest(`${name} is not usable`);
    }
  }

  /**
   * Returns the value of a parameter that was not sent.
   * @throws ApiError `REQUEST_VARIABLE_MISSING` when it is required
   */
  absent(name: string): T {
    if (this.presence.required) throw errors.requestVariableMissing(name);
    return this.presence.fallback as T;
  }

  #with<U>(change: Partial<Presence>): Parameter<U> {
    // The codec decodes texts only; `presence` holds what absence and null mean.
    return new Parameter<U>(this.codec as Codec<never>, { ...this.presence, ...change });
  }
}

function isJsonNull(text: string): boolean {
  return text.length < 32 && text.trim() === "null";
}
