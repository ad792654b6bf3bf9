import type { Operation, ResultOf } from "@carillon/contract";
import type { Sql, Tx } from "@carillon/db";
import type { LoggedIn } from "@carillon/domain";

import type { BatchHandler } from "./group-commit/batch-handler.ts";
import {
  handlerFor,
  rawHandlerFor,
  type Handler,
  type HandlerContext,
  type RawReply,
} from "./http/handler.ts";
import type { Paged } from "./http/pages.ts";
import type { Services } from "./services.ts";

/** What an action gets to see of its request; of the database only what it has said that it does there. */
interface Request<Op extends Operation> extends Pick<
  HandlerContext<Op, Services, LoggedIn>,
  "input" | "path" | "actor" | "client" | "host" | "requestId"
> {
  readonly services: Omit<Services, "db">;
}

/** The database for an operation that changes nothing. */
interface Reading {
  /** Each statement by itself: it sees what had been committed when it began. */
  readonly sql: Sql;
  /** Runs what takes several statements, all of which see one state of the database. Nothing can be written there. */
  snapshot<T>(this: void, work: (sql: Tx) => Promise<T>): Promise<T>;
}

/** The database for an operation that changes something. */
interface Changing {
  /**
   * The transaction that the whole action runs in, and that commits when it returns. One that loses against another is
   * run again from the start, so that the action has no effect outside of it.
   */
  readonly tx: Tx;
}

/** The database for an operation whose requests share a transaction. */
interface Writing<Request, Result> {
  /**
   * Writes the request, once those of its organization that are being written have ended, and returns its result.
   * @throws ApiError its own rejection
   */
  write(this: void, request: Request): Promise<Result>;
}

type Context<Op extends Operation> = HandlerContext<Op, Services, LoggedIn>;
type Action<Op extends Operation, Means, Answer = Paged<ResultOf<Op>>> = (
  context: Request<Op> & Means,
) => Promise<Answer>;

const bind = handlerFor<Services, LoggedIn>();
const bindRaw = rawHandlerFor<Services, LoggedIn>();

/** Binds an operation to its action. All that an action does in the database ends with its request. */
export const handle = {
  /** For an operation that changes nothing: `handle.reads(listThings, async ({ sql, actor }) => …)`. */
  reads: <Op extends Operation>(operation: Op, action: Action<Op, Reading>): Handler<Services> =>
    bind(operation, (context) => action(reading(context))),

  /** The same for an operation that is declared `raw`. */
  readsRaw: <Op extends Operation>(
    operation: Op,
    action: Action<Op, Reading, RawReply>,
  ): Handler<Services> => bindRaw(operation, (context) => action(reading(context))),

  /** For an operation that is one transaction: `handle.changes(createThing, async ({ tx, input }) => …)`. */
  changes: <Op extends Operation>(operation: Op, action: Action<Op, Changing>): Handler<Services> =>
    bind(changing(operation), (context) =>
      context.services.db.transaction((tx) => action({ tx, ...requestOf(context) })),
    ),

  /** The same for an operation that is declared `raw`. */
  changesRaw: <Op extends Operation>(
    operation: Op,
    action: Action<Op, Changing, RawReply>,
  ): Handler<Services> =>
    bindRaw(changing(operation), (context) =>
      context.services.db.transaction((tx) => action({ tx, ...requestOf(context) })),
    ),

  /**
   * For an operation whose concurrent requests share a transaction:
   * `handle.batched(createThing, { write, weigh }, async ({ write, input }) => …)`. The code around `write` runs for each
   * request, as in steps.
   */
  batched: <Op extends Operation, Wanted, Result>(
    operation: Op,
    handler: BatchHandler<Wanted, Result>,
    action: (
      context: Omit<Request<Op>, "services"> &
        Pick<Context<Op>, "services"> &
        Writing<Wanted, Result>,
    ) => Promise<Paged<ResultOf<Op>>>,
  ): Handler<Services> =>
    bind(operation, (context) => {
      const { services } = context;
      // Only accounts may call a batched operation.
      const actor = context.actor as LoggedIn;
      return action({
        write: (wanted) => services.group.write(handler, actor, wanted),
        ...requestOf(context),
        services,
      });
    }),

  /**
   * For an operation that is neither, and has the whole database: one that hashes a password or adds the name of a
   * program before its transaction begins, that needs several transactions, or that waits.
   */
  inSteps: handlerFor<Services, LoggedIn>(),
};

/** @throws Error for GET, which is HEAD too: mail scanners and browsers send both without anybody wanting it */
function changing<Op extends Operation>(operation: Op): Op {
  if (operation.method === "GET") throw new Error(`${operation.id} changes something with GET`);
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
