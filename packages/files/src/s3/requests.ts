import { whenNeeded } from "@carillon/kit";

import { reasonOf } from "../body-reader.ts";
import type { S3Config } from "./config.ts";
import { brokenAnswer } from "./s3-errors.ts";

type Sdk = typeof import("./client.ts");
type Client = InstanceType<Sdk["S3Client"]>;

/** Makes requests to S3, each with a time limit. The first request loads the SDK. */
export class S3Requests {
  readonly #config: S3Config;
  readonly #load: () => Promise<{ readonly sdk: Sdk; readonly client: Client }>;
  #loaded: Client | undefined;

  constructor(config: S3Config) {
    this.#config = config;
    this.#load = whenNeeded(async () => {
      const sdk = await import("./client.ts");
      this.#loaded = makeClient(sdk, config);
      return { sdk, client: this.#loaded };
    });
  }

  /**
   * Makes a request.
   * @param send sends a command with the given signal
   * @param limitMs milliseconds until the answer; for a GET, until the head of the answer
   * @throws the reason of `signal`; StorageUnavailable after the limit; else the error of the SDK
   */
  async make<Answer>(
    send: (client: Client, sdk: Sdk, options: { abortSignal: AbortSignal }) => Promise<Answer>,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    const { client, sdk } = await this.#load();
    const ending = new AbortController();
    const late = brokenAnswer(this.#config, `no answer within ${limitMs / 1_000} s`);
    const timer = setTimeout(() => ending.abort(late), limitMs);
    const onAbort = () => ending.abort(reasonOf(signal));
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    try {
      return await send(client, sdk, { abortSignal: ending.signal });
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  close(): void {
    this.#loaded?.destroy();
  }
}

function makeClient({ S3Client }: Sdk, config: S3Config): Client {
  const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = config;
  // No limit of sockets: buffers limit the uploads, and downloads by slow readers must not delay uploads.
  const agent = { keepAlive: true, maxSockets: Infinity };
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle,
    maxAttempts: 3,
    requestHandler: { httpAgent: agent, httpsAgent: agent },
    // `Expect: 100-continue` would cost a connection for each part, and seconds with servers that do not know it.
    expectContinueHeader: false,
    // Some other servers do not know the newer checksums. The signature already contains a hash of the body.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
}
