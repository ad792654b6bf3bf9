/** One mail to one address, as plain text, never markup. */
export interface Mail {
  /** Identifies repeated sending of the same mail. Letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** A bare address, without a name. */
  readonly to: string;
  /** The sender's display name: the name of the organization. */
  readonly senderName: string;
  readonly subject: string;
  /** Lines end with a line feed. */
  readonly text: string;
  /** URL that unsubscribes from mails of this kind: `GET` shows a page, and one `POST` unsubscribes (RFC 8058). */
  readonly unsubscribeUrl?: string;
}

/** A mail without its id. */
export type Letter = Omit<Mail, "id">;

/** Sends mail. */
export interface Mailer {
  /** Short description for the log. */
  readonly about: string;
  /**
   * Resolves when the mail has been handed over.
   * @throws MailRefused for a permanent failure; any other error may be temporary
   */
  send(mail: Mail): Promise<void>;
}

/** A mailer that can be tested. */
export interface TestableMailer extends Mailer {
  /**
   * Does everything up to sending: connects, starts TLS, logs in.
   * @throws Error that names the failed step
   */
  verify(): Promise<void>;
}

/** The mail server refuses this mail permanently. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
}
