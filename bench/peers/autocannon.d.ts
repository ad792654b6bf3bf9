/** The part of autocannon's API that `load.ts` uses. */
declare module "autocannon" {
  export interface Client {
    on(
      event: "response",
      listener: (status: number, bytes: number, milliseconds: number) => void,
    ): void;
    setRequests(
      requests: ReadonlyArray<{
        method: string;
        path: string;
        headers: Readonly<Record<string, string>>;
        body: string;
      }>,
    ): void;
  }

  export interface Result {
    "2xx": number;
    non2xx: number;
    errors: number;
    timeouts: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds. */
    latency: { p50: number; p99: number };
  }

  export default function autocannon(options: {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    setupClient?(client: Client): void;
  }): Promise<Result>;
}
