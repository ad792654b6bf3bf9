import { given, secretFrom } from "./secret-input.ts";
import type { Terminal } from "./terminal.ts";

/** What was given of a person as options. */
interface GivenOfPerson {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/**
 * A person who is to have an account: by options, else asked for.
 * @param as who that is, in questions, and how the names of the options begin
 */
export async function askForPerson(
  terminal: Terminal,
  options: GivenOfPerson,
  as: { readonly who: string; readonly prefix: string },
): Promise<{ fullName: string; email: string; password: string }> {
  const { who, prefix } = as;
  const fullName = await given(terminal, options.name, {
    question: `The ${who}'s full name`,
    option: `--${prefix}name`,
  });
  const email = await given(terminal, options.email, {
    question: `The ${who}'s e-mail address`,
    option: `--${prefix}email`,
  });
  const password = await secretFrom(terminal, options.passwordFile, {
    what: `${who}'s password`,
    option: "--password-file",
  });
  return { fullName, email, password };
}
