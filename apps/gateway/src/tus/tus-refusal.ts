/** A refusal with a status of tus. The names of the fields are those of `@tus/server`. */
export class TusRefusal extends Error {
  readonly status_code: number;
  readonly body: string;

  constructor(status: number, text: string) {
    super(text);
    this.status_code = status;
    this.body = `${text}\n`;
  }
}
