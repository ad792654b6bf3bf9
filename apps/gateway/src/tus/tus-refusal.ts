/** A refusal with an HTTP status of the tus protocol. `@tus/server` reads the fields by these names. */
export class TusRefusal extends Error {
  readonly status_code: number;
  readonly body: string;

  constructor(status: number, text: string) {
    super(text);
    this.status_code = status;
    this.body = `${text}\n`;
  }
}
