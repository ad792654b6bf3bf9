/** One mail to one address, as plain text: what people wrote stays as they wrote it, and is never markup. */
export interface Mail {
  /** Names it: what is sent twice is known by that. Letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** An address alone, without a name. */
  readonly to: string;
  /** Who writes, for people: the name of the organization. */
  readonly senderName: string;
  readonly subject: string;
  /** Lines end with a line feed. */
  readonly text: string;
}

/** What a mail says, and to whom. */
export type Letter = Omit<Mail, "id">;

/** Where mail goes out. */
export interface Mailer {
  /** What it does with a mail, in a few words, for the log of the process. */
  readonly about: string;
  /**
   * Resolves when somebody else has taken the mail over.
   * @throws MailRefused where that is in vain, and will be; anything else may pass
   */
  send(mail: Mail): Promise<void>;
}

/** A mailer that can be tried. */
export interface TestableMailer extends Mailer {
  /**
   * Goes as far as a mail goes before it is handed over: to the server, over to TLS, and through the log-in.
   * @throws Error that says how far it got
   */
  verify(): Promise<void>;
}

/** The mail server wants nothing of this mail, now or later. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
}
