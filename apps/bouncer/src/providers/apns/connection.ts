import { connect, type ClientHttp2Session } from "node:http2";

const quietMs = 30_000;
/** Time limit of a ping's answer, in milliseconds. */
const pingMs = 2_000;

export interface ConnectionOptions {
  /** `https://api.push.apple.com` */
  readonly url: string;
  /** Additional trusted certificates; for tests. */
  readonly ca?: string | undefined;
  /** Time limit of connecting, in milliseconds. */
  readonly timeoutMs: number;
  /** Silence after which the connection is pinged before use, in milliseconds; default 30,000. */
  readonly quietMs?: number;
}

/** The one HTTP/2 connection to APNs, opened on demand and reopened when it is lost. */
export class Connection {
  readonly #options: ConnectionOptions;
  #current: Promise<ClientHttp2Session> | undefined;
  #heardAt = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Returns a live session. @throws Error when connecting fails; nothing was sent then */
  async session(): Promise<ClientHttp2Session> {
    const current = await this.#current?.catch(() => undefined);
    if (current && !isOver(current) && (await this.#isAlive(current))) return current;
    if (current) this.drop(current);
    this.#current ??= this.#open();
    return this.#current;
  }

  /** Records that the server has answered. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Sends no new requests on this session; running ones continue. */
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
      // Each running request adds listeners.
      session.setMaxListeners(0);
      session.unref();
    });
    opening.catch(() => {
      if (this.#current === opening) this.#current = undefined;
    });
    return opening;
  }

  #isAlive(session: ClientHttp2Session): Promise<boolean> {
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
