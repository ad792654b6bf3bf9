import { connect, type ClientHttp2Session } from "node:http2";

const quietMs = 30_000;
/** A connection that is asked whether it is there has so long to say so, in milliseconds. */
const pingMs = 2_000;

export interface ConnectionOptions {
  /** `https://api.push.apple.com` */
  readonly url: string;
  /** Certificates to believe besides those that Node believes; for tests. */
  readonly ca?: string | undefined;
  /** Until it stands, in milliseconds. */
  readonly timeoutMs: number;
  /** After so long without a word it is asked whether it is there, in milliseconds; 30,000 unless given. */
  readonly quietMs?: number;
}

/** The one HTTP/2 connection to APNs, made when it is needed and again when it is gone. */
export class Connection {
  readonly #options: ConnectionOptions;
  #current: Promise<ClientHttp2Session> | undefined;
  #heardAt = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** @throws Error when there is none to be had: nothing was sent then */
  async session(): Promise<ClientHttp2Session> {
    const current = await this.#current?.catch(() => undefined);
    if (current && !isOver(current) && (await this.#isThere(current))) return current;
    if (current) this.drop(current);
    this.#current ??= this.#open();
    return this.#current;
  }

  /** Something came from there. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** No new requests for this one; those under way go on. */
  drop(session: ClientHttp2Session): void {
    void this.#current?.then(
      (current) => {
        if (current === session) this.#current = undefined;
      },
      () => undefined,
    );
    if (!session.destroyed) session.close();
  }

  async close(): Promise<void> {
    const session = await this.#current?.catch(() => undefined);
    this.#current = undefined;
    session?.destroy();
  }

  #open(): Promise<ClientHttp2Session> {
    const { url, ca, timeoutMs } = this.#options;
    const opening = new Promise<ClientHttp2Session>((resolve, reject) => {
      const session = connect(url, ca === undefined ? {} : { ca });
      const timer = setTimeout(() => session.destroy(new Error("ETIMEDOUT")), timeoutMs);
      session.once("remoteSettings", () => {
        clearTimeout(timer);
        this.heard();
        resolve(session);
      });
      session.on("error", reject);
      session.on("goaway", () => this.drop(session));
      session.on("close", () => {
        clearTimeout(timer);
        if (this.#current === opening) this.#current = undefined;
        reject(new Error("ECONNRESET"));
      });
      // One for each request under way, and a few.
      session.setMaxListeners(0);
      session.unref();
    });
    opening.catch(() => {
      if (this.#current === opening) this.#current = undefined;
    });
    return opening;
  }

  #isThere(session: ClientHttp2Session): Promise<boolean> {
    if (performance.now() - this.#heardAt < (this.#options.quietMs ?? quietMs))
      return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          session.destroy();
          resolve(false);
        },
        Math.min(pingMs, this.#options.timeoutMs),
      );
      const asked = session.ping((error: Error | null) => {
        clearTimeout(timer);
        if (!error) this.heard();
        resolve(!error);
      });
      if (!asked) resolve(false);
    });
  }
}

function isOver(session: ClientHttp2Session): boolean {
  return session.closed || session.destroyed;
}
