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

/** The database for an operation whose requests share a transaction. */
interface Writing<Request, Result> {
  /**
   * Writes the request after the organization's requests that are being written, and returns its result.
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
   * For any other operation, with the whole database: it hashes a password or adds the name of a program before its
   * transaction begins, needs several transactions, or waits.
   */
  inSteps: handlerFor<Services, LoggedIn>(),
};

/** @throws Error for GET, which answers HEAD too: mail scanners and browsers send both on their own */
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
