import { type Operation, type PathOf, type ResultOf, secretNames } from "@carillon/contract";
import type { Sql, Transacts, Tx } from "@carillon/db";
import type { LoggedIn } from "@carillon/domain";
import { type Realm, realmOfHost, realmUrl } from "@carillon/model";

import type { BatchHandler } from "./group-commit/batch-handler.ts";
import { keyedBatch } from "./group-commit/keyed-batch.ts";
import {
  handlerFor,
  rawHandlerFor,
  type Handler,
  type HandlerContext,
  type RawReply,
} from "./http/handler.ts";
import { type FormGuard, formGuard } from "./http/form-guard.ts";
import type { Paged } from "./http/pages.ts";
import { makePictures, type PictureChange } from "./make-pictures.ts";
import { againAfterKeyConflict, keyedTransaction } from "./keyed-transaction.ts";
import type { Services } from "./services.ts";

/** What an action gets of its request; access to the database comes with the binding that it chooses. */
interface Request<Op extends Operation> extends Pick<
  HandlerContext<Op, Services, LoggedIn>,
  "input" | "path" | "actor" | "client" | "host" | "requestId"
> {
  readonly services: Omit<Services, "db">;
}

/** The database for an operation that changes nothing. */
interface Reading {
  /** Runs single statements; each sees the data that was committed when it began. */
  readonly sql: Sql;
  /** Runs several statements that see one state of the database, in a read-only transaction. */
  snapshot<T>(this: void, work: (sql: Tx) => Promise<T>): Promise<T>;
}

/** The database for an operation that changes something. */
interface Changing {
  /**
   * The transaction of the whole action, which commits when the action returns. After a serialization failure the
   * action runs again from the start, so it must have no effect outside of the transaction.
   */
  readonly tx: Tx;
}

/** The database for an operation that prepares something before its only transaction. */
interface Preparing<Result> {
  /** Runs the transaction of the action. */
  readonly db: Transacts<Result>;
}

/** The database for an operation whose requests share a transaction. */
interface Writing<Request, Result> {
  /**
   * Writes the request after the organization's requests that are being written, and returns its result.
   * @throws ApiError its own rejection
   */
  write(this: void, request: Request): Promise<Result>;
}

/** What the action of a page gets in addition. */
export interface OnPage {
  /** The organization of the request's host. It may be deactivated. */
  readonly realm: Realm;
  /** Makes and checks the forms of the page. */
  readonly guard: Pick<FormGuard, "token">;
}

type Context<Op extends Operation> = HandlerContext<Op, Services, LoggedIn>;
type Action<Op extends Operation, Means, Answer = Paged<ResultOf<Op>>> = (
  context: Request<Op> & Means,
) => Promise<Answer>;

const bind = handlerFor<Services, LoggedIn>();
const bindRaw = rawHandlerFor<Services, LoggedIn>();

/** Binds an operation to its action. An action's database work ends with its request. */
export const handle = {
  /** For an operation that changes nothing: `handle.reads(listThings, async ({ sql, actor }) => …)`. */
  reads: <Op extends Operation>(operation: Op, action: Action<Op, Reading>): Handler<Services> =>
    bind(withoutKey(operation), (context) => action(reading(context))),

  /** As `reads`, for an operation that is declared `raw`. */
  readsRaw: <Op extends Operation>(
    operation: Op,
    action: Action<Op, Reading, RawReply>,
  ): Handler<Services> => bindRaw(withoutKey(operation), (context) => action(reading(context))),

  /** For an operation that is one transaction: `handle.changes(createThing, async ({ tx, input }) => …)`. */
  changes: <Op extends Operation>(
    operation: Op,
    action: Action<Op, Changing, ResultOf<Op>>,
  ): Handler<Services> =>
    bind(withKey(operation), (context) =>
      keyedTransaction(
        context.services.db,
        context.idempotencyKey,
        (tx) => action({ tx, ...requestOf(context) }),
        (answer) => answer,
      ),
    ),

  /** As `changes`, for an operation that is declared `raw`. */
  changesRaw: <Op extends Operation>(
    operation: Op,
    action: Action<Op, Changing, RawReply>,
  ): Handler<Services> =>
    bindRaw(withoutKey(changing(operation)), (context) =>
      context.services.db.transaction((tx) => action({ tx, ...requestOf(context) })),
    ),

  /**
   * For an operation that prepares something before its only transaction, such as the row of the sending program:
   * `handle.prepared(createThing, ({ db, input }) => db.transaction(…), (id) => ({ thing_id: id }))`.
   * @param answerOf makes the answer of the transaction's result; the type of its parameter is the type of the result
   */
  prepared: <Op extends Operation, Result = void>(
    operation: Op,
    action: (
      context: Omit<Request<Op>, "services"> & Pick<Context<Op>, "services"> & Preparing<Result>,
    ) => Promise<Result>,
    answerOf: (result: Result) => ResultOf<Op>,
  ): Handler<Services> =>
    bind(withKey(operation), async (context) => {
      const { services, idempotencyKey } = context;
      const transaction = (work: (tx: Tx) => Promise<Result>) =>
        keyedTransaction(services.db, idempotencyKey, work, answerOf);
      return answerOf(await action({ db: { transaction }, ...requestOf(context), services }));
    }),

  /**
   * For an operation whose concurrent requests share a transaction:
   * `handle.batched(createThing, { write, weigh }, ({ write, input }) => write(…), (id) => ({ thing_id: id }))`. The
   * code around `write` runs for each request, with the whole database as in `inSteps`.
   * @param answerOf makes the answer of a request's result
   */
  batched: <Op extends Operation, Wanted, Result>(
    operation: Op,
    handler: BatchHandler<Wanted, Result>,
    action: (
      context: Omit<Request<Op>, "services"> &
        Pick<Context<Op>, "services"> &
        Writing<Wanted, Result>,
    ) => Promise<Result>,
    answerOf: (result: Result) => ResultOf<Op>,
  ): Handler<Services> => {
    const keyed = keyedBatch(handler, answerOf);
    return bind(withKey(operation), async (context) => {
      const { services, idempotencyKey: key } = context;
      // Only accounts may call a batched operation.
      const actor = context.actor as LoggedIn;
      const write = (request: Wanted) => services.group.write(keyed, actor, { request, key });
      const result = await action({
        write: (request) => againAfterKeyConflict(() => write(request)),
        ...requestOf(context),
        services,
      });
      return answerOf(result);
    });
  },

  /**
   * For an operation that takes a picture, from which a worker makes others (files.md §6).
   * @param before checks the request before its body is read
   * @param change uses the pictures that the worker has made
   */
  withPicture: <Op extends Operation, Result>(
    operation: Op,
    pictures: PictureChange<Op, Result>,
    answerOf: (result: Result) => ResultOf<Op>,
  ): Handler<Services> => ({
    ...bind(withoutKey(operation), async (context) => {
      const { services, path, input } = context;
      // Only accounts may call an operation that takes a file.
      const actor = context.actor as LoggedIn;
      const made = await makePictures(context, actor, pictures, (tx, files) =>
        pictures.change({ tx, path, input, actor, site: services.site, pictures: files }),
      );
      return answerOf(made);
    }),
    ...(pictures.before && {
      beforeFile: async ({ path, actor, services }) => {
        const request = { path: path as PathOf<Op>, actor: actor as LoggedIn };
        return pictures.before?.({ ...request, sql: services.db });
      },
    }),
  }),

  /**
   * For any other operation, with the whole database: it hashes a password before its transaction begins, needs several
   * transactions, or waits.
   */
  inSteps: <Op extends Operation>(
    operation: Op,
    action: (context: Context<Op>) => Promise<Paged<ResultOf<Op>>>,
  ): Handler<Services> => bind(withoutKey(operation), action),

  /**
   * For a page for people: `handle.page(showThing, async ({ services }, { realm, guard }) => page(…))`. The form of a `POST`
   * is checked before the action (people.md §8).
   */
  page: <Op extends Operation>(
    operation: Op,
    action: (context: Context<Op>, page: OnPage) => Promise<RawReply>,
  ): Handler<Services> => bindPage(operation, action),

  /** As `inSteps`, for an operation that is declared `raw`. */
  inStepsRaw: <Op extends Operation>(
    operation: Op,
    action: (context: Context<Op>) => Promise<RawReply>,
  ): Handler<Services> => bindRaw(withoutKey(operation), action),
};

function bindPage<Op extends Operation>(
  operation: Op,
  action: (context: Context<Op>, page: OnPage) => Promise<RawReply>,
): Handler<Services> {
  if (!operation.page || (operation.method === "POST" && !("csrf_token" in operation.params)))
    throw new Error(
      `${operation.id} is a page: declare it with page: true, and its form with pageForm`,
    );
  return bindRaw(withoutKey(operation), async (context) => {
    const { db, site } = context.services;
    const realm = await realmOfHost(db, context.host);
    const guard = formGuard(site.secrets, realmUrl(site, realm), context.headers);
    if (operation.method === "POST") guard.check(context.input as { csrf_token: string });
    const reply = await action(context, { realm, guard });
    return guard.setCookie === undefined
      ? reply
      : { ...reply, headers: { ...reply.headers, "Set-Cookie": guard.setCookie } };
  });
}

/**
 * Checks that an operation that changes something is not a GET, which also answers HEAD: mail scanners and browsers send
 * both without being asked.
 * @throws Error if it is
 */
function changing<Op extends Operation>(operation: Op): Op {
  if (operation.method === "GET") throw new Error(`${operation.id} changes something with GET`);
  return operation;
}

/**
 * Checks an operation that is one transaction: it must take idempotency keys, unless its answer contains a secret.
 * @throws Error otherwise
 */
function withKey<Op extends Operation>(operation: Op): Op {
  const answersSecret = Object.keys(operation.result).some((name) => secretNames.includes(name));
  if (answersSecret) return withoutKey(changing(operation));
  if (!operation.idempotencyKey)
    throw new Error(`${operation.id} is one transaction: declare it with idempotencyKey: true`);
  return changing(operation);
}

/**
 * Checks that an operation takes no idempotency keys, because its answer cannot be stored with its only COMMIT.
 * @throws Error if it does
 */
function withoutKey<Op extends Operation>(operation: Op): Op {
  if (operation.idempotencyKey)
    throw new Error(
      `${operation.id} is declared with idempotencyKey: true, but is not one transaction, or answers a secret`,
    );
  return operation;
}

function reading<Op extends Operation>(context: Context<Op>): Request<Op> & Reading {
  const { db } = context.services;
  return {
    sql: db,
    snapshot: (work) => db.transaction(work, { mode: "repeatable read read only" }),
    ...requestOf(context),
  };
}

function requestOf<Op extends Operation>(context: Context<Op>): Request<Op> {
  const { input, path, actor, client, host, requestId, services } = context;
  return { input, path, actor, client, host, requestId, services };
}
