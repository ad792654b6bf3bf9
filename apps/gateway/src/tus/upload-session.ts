import { ApiError, errors } from "@carillon/contract";
import { type Database, RequestDeadline } from "@carillon/db";
import {
  addAttachment,
  addResumablePart,
  beginResumable,
  findResumable,
  finishResumable,
  joinResumableParts,
  leaseResumable,
  listResumableParts,
  type LoggedIn,
  maxResumable,
  newAttachment,
  type NewResumable,
  newResumableId,
  releaseResumable,
  removeResumable,
  renewResumable,
  type ResumableUpload,
  resumableLeaseMs,
  setResumableTail,
} from "@carillon/domain";
import { ObjectMissing } from "@carillon/files";
import type { StoredObject } from "../http/file-intake.ts";
import { ObjectWriter } from "../http/object-writer.ts";
import { storeRefusal } from "../http/store-refusal.ts";
import type { StreamedRequest } from "../http/streamed-request.ts";
import type { Services } from "../services.ts";
import { ReceivedBytes } from "./received-bytes.ts";
import { TusRefusal } from "./tus-refusal.ts";

/** With this many parts, the next request first joins them into one, so that the last request reads few objects. */
const maxParts = 256;

/** Maximum milliseconds of database work that continues after its request has ended. */
const durableMs = 30_000;

/** Name and type of a file, as its client sent them. */
export interface FileFacts {
  readonly filename: string;
  readonly contentType: string | undefined;
}

/** A stored object, with the bytes at its beginning. */
type StoredBytes = StoredObject & { readonly head: Buffer };

/** One request to a resumable upload (files.md §7). */
export class UploadSession {
  readonly #actor: LoggedIn;
  readonly #services: Services;
  readonly #request: StreamedRequest;
  readonly #leaseId = newResumableId();
  /** The upload, once this request holds its lease. */
  #upload: ResumableUpload | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor(actor: LoggedIn, services: Services, request: StreamedRequest) {
    this.#actor = actor;
    this.#services = services;
    this.#request = request;
  }

  /** Returns the upload; undefined if the account has none with this id. Reads the row unless this request holds the lease. */
  async find(id: string): Promise<ResumableUpload | undefined> {
    return this.#upload ?? findResumable(this.#services.db, this.#actor, id);
  }

  /**
   * Begins an upload and takes its lease. Finishes an empty file at once.
   * @throws TusRefusal 413 over the quota, 429 with too many unfinished uploads
   */
  async begin(fresh: NewResumable, file: FileFacts): Promise<void> {
    const { intake, db } = this.#services;
    await intake.checkRoom(this.#actor.realmId, fresh.size).catch(rethrowQuota);
    const createdAt = await db.transaction((tx) =>
      beginResumable(tx, this.#actor, fresh, this.#leaseId),
    );
    if (createdAt === undefined)
      throw new TusRefusal(
        429,
        `The account has ${maxResumable} unfinished uploads: finish or delete some`,
      );
    const rest = { received: 0, tail: Buffer.alloc(0), pathId: null, name: null, createdAt };
    this.#hold({ ...fresh, ...rest });
    if (fresh.size === 0)
      await this.#settle(this.#held, new ReceivedBytes(intake, rest.tail, 0), file);
  }

  /**
   * Takes the lease of an upload.
   * @throws TusRefusal 423 if another request holds it; ApiError 404 if the account has no such upload
   */
  async lease(id: string): Promise<void> {
    const found = await leaseResumable(this.#services.db, this.#actor, id, this.#leaseId);
    if (found === "missing") throw errors.notFound404("There is no such upload, or it has expired");
    if (found === "leased") throw locked();
    this.#hold(found);
  }

  /** Releases the lease, if this request holds one. */
  async release(): Promise<void> {
    const upload = this.#upload;
    clearInterval(this.#renewal);
    if (!upload || this.#isLost) return;
    await this.#durably((db) => releaseResumable(db, upload.id, this.#leaseId)).catch(
      (err: unknown) =>
        this.#services.log.warn(
          { err, upload: upload.id },
          "lease of upload not released; it expires",
        ),
    );
  }

  /**
   * Reads the body and stores its bytes, also of a body that breaks off. Adds the file to the account's attachments once
   * all its bytes are stored.
   * @returns the number of stored bytes of the upload
   * @throws TusRefusal 413 for too many bytes or over the quota, 423 if the lease is lost; ApiError as for other bodies
   */
  async append(file: FileFacts): Promise<number> {
    const upload = this.#held;
    if (upload.pathId !== null) return upload.received;
    await this.#joinIfMany(upload);
    const bytes = new ReceivedBytes(
      this.#services.intake,
      upload.tail,
      upload.size - upload.received,
    );
    let broken: Error | undefined;
    try {
      await this.#request.readBody((chunk) => {
        if (this.#isLost) throw locked();
        return bytes.write(chunk);
      });
    } catch (error) {
      if (error instanceof TusRefusal) {
        await bytes.abandon(error);
        throw error;
      }
      broken = error as Error;
    }
    await this.#settle(upload, bytes, file);
    if (broken && this.#held.pathId === null) throw broken;
    return this.#held.received;
  }

  /** Deletes the upload. The file of a finished upload stays. */
  async remove(): Promise<void> {
    const { id } = this.#held;
    const isRemoved = await this.#services.db.transaction((tx) =>
      removeResumable(tx, id, this.#leaseId),
    );
    if (!isRemoved) throw locked();
    this.#upload = undefined;
  }

  get #held(): ResumableUpload {
    if (!this.#upload) throw new Error("the request does not hold the lease of an upload");
    return this.#upload;
  }

  /** Records that this request holds the lease, and renews the lease periodically. */
  #hold(upload: ResumableUpload): void {
    this.#upload = upload;
    this.#renewal = setInterval(() => {
      this.#durably((db) => renewResumable(db, upload.id, this.#leaseId)).then(
        (isHeld) => (this.#isLost ||= !isHeld),
        // The next renewal may succeed; each change checks the lease.
        () => {},
      );
    }, resumableLeaseMs / 3);
    this.#renewal.unref();
  }

  /** Makes the received bytes durable: in the row, as a part, or as the file. */
  async #settle(upload: ResumableUpload, bytes: ReceivedBytes, file: FileFacts): Promise<void> {
    const { id, size } = upload;
    const received = upload.received + bytes.count;
    const { tail } = bytes;
    if (received < size && tail) {
      if (bytes.count === 0) return;
      await this.#change((db) => setResumableTail(db, id, this.#leaseId, tail, received));
      this.#upload = { ...upload, tail, received };
      return;
    }
    const object = await bytes.store();
    if (received === size) {
      const { name, pathId } = await this.#finish(upload, object, file);
      this.#upload = { ...upload, received, name, pathId };
      return;
    }
    const part = { start: received - object.size, size: object.size, key: object.key };
    await this.#change((db) => addResumablePart(db, id, this.#leaseId, part), object.key);
    this.#upload = { ...upload, tail: Buffer.alloc(0), received };
  }

  /** Adds the file to the account's attachments. @param last the bytes after those of the parts */
  async #finish({ id }: ResumableUpload, last: StoredBytes, file: FileFacts) {
    const { intake, site } = this.#services;
    const parts = await this.#durably((db) => listResumableParts(db, id));
    const keys = [...parts.map(({ key }) => key), last.key];
    let whole = last;
    try {
      if (parts.length > 0) whole = await this.#joined(keys);
      const upload = await newAttachment(this.#actor, { ...whole, ...file });
      return await this.#durably((db) =>
        db.transaction(async (tx) => {
          await addAttachment(tx, site, upload);
          if (!(await finishResumable(tx, id, this.#leaseId, upload))) throw locked();
          return upload;
        }),
      ).catch(rethrowQuota);
    } catch (error) {
      await intake.discard(whole.key);
      throw error;
    } finally {
      // The file has a copy of these bytes, and no part refers to them.
      if (parts.length > 0) await intake.discard(last.key);
    }
  }

  async #joinIfMany({ id }: ResumableUpload): Promise<void> {
    const parts = await this.#durably((db) => listResumableParts(db, id));
    if (parts.length < maxParts) return;
    const joined = await this.#joined(parts.map(({ key }) => key));
    await this.#change(
      (db) => db.transaction((tx) => joinResumableParts(tx, id, this.#leaseId, joined)),
      joined.key,
    );
  }

  /** Stores an object with the bytes of others. */
  async #joined(keys: readonly string[]): Promise<StoredBytes> {
    const { files, intake } = this.#services;
    const object = new ObjectWriter(intake);
    try {
      await this.#request.whileBytesFlow(async () => {
        for (const key of keys) {
          const { stream } = await files.get(key);
          for await (const chunk of stream) {
            object.write(chunk as Buffer);
            await object.drained();
          }
        }
        object.end();
      });
      return await object.stored();
    } catch (error) {
      await object.abandon(error);
      // The ledger deletes parts 24 hours after they were stored.
      if (error instanceof ObjectMissing) throw errors.notFound404("The upload has expired");
      throw storeRefusal(error);
    }
  }

  /** Changes the upload. @param key of a new object, which is deleted if the lease is lost */
  async #change(work: (db: Database) => Promise<boolean>, key?: string): Promise<void> {
    if (await this.#durably(work)) return;
    this.#isLost = true;
    if (key !== undefined) await this.#services.intake.discard(key);
    throw locked();
  }

  /** Runs database work that does not end with the request, because its client may have hung up. */
  async #durably<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const deadline = new RequestDeadline();
    deadline.limit(durableMs, () => errors.unavailable());
    try {
      return await work(this.#services.db.within(deadline));
    } finally {
      deadline.unlimit();
    }
  }
}

function locked(): TusRefusal {
  return new TusRefusal(423, "Another request is sending bytes of this upload");
}

/** tus answers 413 where the envelope has `REALM_UPLOAD_QUOTA` with 400. */
function rethrowQuota(error: unknown): never {
  if (error instanceof ApiError && error.code === "REALM_UPLOAD_QUOTA")
    throw new TusRefusal(413, error.message);
  throw error;
}
