import { given, secretFrom } from "./secret-input.ts";
import type { Terminal } from "./terminal.ts";

/** Options that describe a person. */
interface PersonOptions {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly passwordFile?: string | undefined;
}

/**
 * Reads a person's name, address and password from options, prompting for what is missing.
 * @param as the person's title in prompts, and the prefix of the option names
 */
export async function readPerson(
  terminal: Terminal,
  options: PersonOptions,
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
