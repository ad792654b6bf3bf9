import { whenNeeded } from "@carillon/kit";

import { reasonOf } from "../body-reader.ts";
import type { S3Config } from "./config.ts";
import { brokenAnswer } from "./s3-errors.ts";

type Sdk = typeof import("./client.ts");
type Client = InstanceType<Sdk["S3Client"]>;

/** Requests to S3, each with a time limit. The SDK is loaded by the first one. */
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
   * @param limitMs milliseconds until the answer, or the head of the answer of a GET
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
  // Uploads are limited by their buffers. Downloads are as slow as their readers, and must not hold up uploads.
  const agent = { keepAlive: true, maxSockets: Infinity };
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle,
    maxAttempts: 3,
    requestHandler: { httpAgent: agent, httpsAgent: agent },
    // It would cost a connection for each part, and seconds where a server does not know it.
    expectContinueHeader: false,
    // Servers other than Amazon's do not all know the newer checksums; the signature has a hash of the body.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
}
