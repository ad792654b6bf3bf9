/** Address and credentials of the bucket. */
export interface S3Config {
  readonly bucket: string;
  /** Undefined for Amazon's S3. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether URLs have the bucket in their path instead of their host name. */
  readonly forcePathStyle: boolean;
}
