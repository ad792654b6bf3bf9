/** How to reach the bucket. */
export interface S3Config {
  readonly bucket: string;
  /** Undefined for Amazon's own. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket is in the path of a URL, not in its host name. */
  readonly forcePathStyle: boolean;
}
