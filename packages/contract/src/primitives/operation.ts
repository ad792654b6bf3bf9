import type * as z from "zod";
import type { ErrorCode } from "./error-codes.ts";
import type { Example } from "./example.ts";
import type { Parameter } from "./parameter.ts";
import type { PathParameter } from "./path.ts";

/** `HEAD` only where there is no `GET`, which answers it too. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";

/**
 * Who may call: `anyone`, without reading credentials; or an authenticated account: any, or only humans, bots,
 * non-guests, administrators (including owners), owners.
 */
export type Access =
  | "anyone"
  | "account"
  | "human"
  | "bot"
  | "non-guest"
  | "administrator"
  | "owner";

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;
export type PathParameters = Readonly<Record<string, PathParameter<unknown>>>;
export type ResultShape = Readonly<Record<string, z.ZodType>>;

/** The names in braces of a path template. */
type PathNames<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** One operation, declared once: routing, decoding, gates, reference and OpenAPI document all come from it. */
export interface Declaration<
  Template extends string = string,
  Who extends Access = Access,
  Params extends Parameters = Parameters,
  Path extends PathParameters = PathParameters,
  Result extends ResultShape = ResultShape,
> {
  /** In kebab-case, unique. */
  readonly id: string;
  readonly method: Method;
  /** From the root, with path parameters in braces: `/api/v1/streams/{stream_id}`. */
  readonly path: Template;
  readonly access: Who;
  /** The code for callers that `access` refuses, if not the usual one (users.md §1). */
  readonly accessError?: ErrorCode;
  /** Incoming-webhook bots may call too; elsewhere their credentials are refused. */
  readonly webhookBots?: true;
  /** Request parameters in the documented order: the first that fails decides the answer. */
  readonly params: Params;
  /** A codec for each name in braces. */
  readonly pathParams: Path;
  /** Fields of a successful answer, in addition to `result` and `msg`. Checked in tests. */
  readonly result: Result;
  /** A successful answer holds more fields than `result` names; the request decides which. */
  readonly moreFields?: true;
  /** Codes it may answer with, in addition to those that follow from the rest of the declaration (`codesOf`). */
  readonly errors: readonly ErrorCode[];
  /** Answers 404 with code `BAD_REQUEST` when the target of the path does not exist. */
  readonly missingIs404?: true;
  /** Its title, a few words. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** Additions to its generated example in the reference. */
  readonly example?: Example;
  /** Bytes. Default: 16 KiB if anyone may call, else 2 MiB if a parameter is JSON, else 1 MiB. */
  readonly bodyLimit?: number;
  /**
   * Takes one file in a multipart body, which is in the file store before the handler runs (files.md §1). `bodyLimit`
   * then limits the file.
   */
  readonly takesFile?: true;
  /** The file is a picture, from which others are made: it is deleted after the request, and takes nothing of the quota. */
  readonly takesPicture?: true;
  /**
   * Follows another protocol below the envelope, tus 1.0.0 (files.md §7): it is also served with a slash at the end of the
   * path, `X-HTTP-Method-Override` replaces the method, and its handler reads headers and body.
   */
  readonly protocol?: "tus";
  /**
   * Its body is the payload of another program (bot-platform.md §1.1), and the handler gets its bytes. Parameters are in the
   * query, or in a form with the payload; one of them may be the key of a bot, instead of HTTP Basic.
   */
  readonly takesPayload?: true;
  /** Request headers, for the reference. */
  readonly headers?: readonly HeaderParameter[];
  /** Media type of a body that the handler reads as bytes, for the reference. */
  readonly bytesType?: string;
  /** Its requests count against a separate rate limit (http-contract.md §7). */
  readonly rateBucket?: "files";
  /**
   * The parameter whose text is rendered for the answer: one long text at a time for each account (http-contract.md
   * §8.1).
   */
  readonly renders?: string;
  /** Its answer may be large, so it waits for memory (http-contract.md §8). GET operations wait without this. */
  readonly largeAnswer?: true;
  /**
   * Takes an `Idempotency-Key` (once-and-again.md §1). Required for an operation that is one transaction, unless its
   * answer contains a secret; the gateway's `handle` checks that.
   */
  readonly idempotencyKey?: true;
  /** Waits for something to happen: no deadline, and its signal fires when the client hangs up. */
  readonly longPoll?: true;
  /** The answer is sent without the envelope: the possible answers. */
  readonly raw?: readonly RawAnswer[];
  /**
   * A page for people (people.md §8): served with and without a slash at the end of the path, and its refusals are pages
   * too. Requires `raw`.
   */
  readonly page?: true;
}

/** A request header of an operation. */
export interface HeaderParameter {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
}

/** A success that has no envelope. */
export interface RawAnswer {
  readonly status: number;
  /** What the answer is, for the reference. */
  readonly about: string;
  /** Media type of the body; without one there is none. */
  readonly type?: string;
}

export interface Operation<
  Template extends string = string,
  Who extends Access = Access,
  Params extends Parameters = Parameters,
  Path extends PathParameters = PathParameters,
  Result extends ResultShape = ResultShape,
> extends Declaration<Template, Who, Params, Path, Result> {
  /** `params` in order, for the decoder. */
  readonly decoders: readonly Decoder[];
  /** `pathParams` in the order of the path. */
  readonly pathDecoders: readonly PathDecoder[];
  /** Names of all parameters that the operation reads; others are reported as ignored. */
  readonly supported: ReadonlySet<string>;
}

export interface Decoder {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly parameter: Parameter<unknown>;
}

export interface PathDecoder {
  readonly name: string;
  readonly parameter: PathParameter<unknown>;
}

/** The decoded parameters; `undefined` if an optional one is absent. */
export type InputOf<Op extends Operation> = {
  -readonly [Name in keyof Op["params"]]: Op["params"][Name] extends Parameter<infer T> ? T : never;
};

/** The decoded path parameters. */
export type PathOf<Op extends Operation> = {
  -readonly [Name in keyof Op["pathParams"]]: Op["pathParams"][Name] extends PathParameter<infer T>
    ? T
    : never;
};

/** What a handler returns. */
export type ResultOf<Op extends Operation> = keyof Op["result"] extends never
  ? Record<string, never> | void
  : z.input<z.ZodObject<{ -readonly [Name in keyof Op["result"]]: Op["result"][Name] }>>;

/** A declaration in which empty parts may be omitted. */
type Declared<
  Template extends string,
  Who extends Access,
  Params extends Parameters,
  Path extends PathParameters,
  Result extends ResultShape,
> = Omit<
  Declaration<Template, Who, Params, Path, Result>,
  "params" | "pathParams" | "result" | "errors"
> & {
  readonly params?: Params;
  readonly result?: Result;
  readonly errors?: readonly ErrorCode[];
} & ([PathNames<Template>] extends [never]
    ? { readonly pathParams?: Path }
    : {
        readonly pathParams: Path & Readonly<Record<PathNames<Template>, PathParameter<unknown>>>;
      });

/** Declares an operation. Without `access`, or without a codec for each name in the path, it does not compile. */
export function operation<
  const Template extends string,
  const Who extends Access,
  const Params extends Parameters = Record<never, never>,
  const Path extends PathParameters = Record<never, never>,
  const Result extends ResultShape = Record<never, never>,
>(
  declared: Declared<Template, Who, Params, Path, Result>,
): Operation<Template, Who, Params, Path, Result> {
  const params = declared.params ?? ({} as Params);
  const decoders = Object.entries(params).map(([name, parameter]) => ({
    name,
    aliases: parameter.presence.aliases,
    parameter,
  }));
  const pathParams = declared.pathParams ?? ({} as Path);
  const pathDecoders = [...declared.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const parameter = (pathParams as PathParameters)[name];
    if (!parameter) throw new TypeError(`${declared.id}: the path parameter ${name} has no codec`);
    return { name, parameter };
  });
  return {
    ...declared,
    params,
    pathParams,
    result: declared.result ?? ({} as Result),
    errors: declared.errors ?? [],
    decoders,
    pathDecoders,
    // `client` names the sending program and is read for every operation (http-contract.md §9).
    supported: new Set(["client", ...decoders.flatMap(supportedNames)]),
  };
}

function supportedNames({ name, aliases, parameter }: Decoder): readonly string[] {
  return parameter.presence.ignored ? [] : [name, ...aliases];
}
