/** `zukan studio password`: who may sign in to a remote studio. */
import type { Config } from '../../config/config.ts';
import {
  MAX_NAME_LENGTH,
  MAX_PASSWORD_BYTES,
  MIN_PASSWORD_LENGTH,
  normaliseName,
  removePerson,
  setPassword,
} from '../../studio/passwords.ts';
import { ask } from '../terminal/ask.ts';
import { CommandError, UsageError } from '../terminal/errors.ts';
import { isInteractive, printLine, type Terminal } from '../terminal/terminal.ts';

const nameSyntax = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@-]*$/u;

/** The password is never an argument: every user of the machine can see those. */
export async function passwordCommand(
  { dataDir }: Config,
  givenName: string,
  { remove }: { remove: boolean },
  terminal: Terminal,
): Promise<void> {
  const name = normaliseName(givenName);
  if (!nameSyntax.test(name) || name.length > MAX_NAME_LENGTH)
    throw new UsageError(
      `${givenName}: a name has up to ${MAX_NAME_LENGTH} letters, digits, spaces and . _ @ -, and begins with a letter or digit`,
    );
  if (remove) {
    if (!(await removePerson(dataDir, name))) throw new CommandError(`nobody is called ${name}`);
    printLine(terminal, `removed ${name}; their sessions have ended`);
    return;
  }
  const password = isInteractive(terminal) ? await askTwice(terminal) : await readFirstLine(terminal);
  if ([...password].length < MIN_PASSWORD_LENGTH)
    throw new CommandError(`the password is too short: it needs at least ${MIN_PASSWORD_LENGTH} characters`);
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    throw new CommandError(`the password is too long: it may have at most ${MAX_PASSWORD_BYTES} bytes`);
  await setPassword(dataDir, name, password);
  printLine(terminal, `set the password of ${name}; sessions with another one have ended`);
}

async function askTwice(terminal: Terminal): Promise<string> {
  const [password, again] = [await askHidden('Password: '), await askHidden('Again: ')];
  if (password !== again) throw new CommandError('the two passwords are not the same; nothing was changed');
  return password;

  async function askHidden(question: string): Promise<string> {
    const answer = await ask(question, terminal, { isHidden: true });
    if (answer === undefined) throw new CommandError('interrupted; nothing was changed');
    return answer;
  }
}

async function readFirstLine({ stdin }: Terminal): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += chunk;
    if (text.includes('\n') || text.length > MAX_PASSWORD_BYTES) break;
  }
  return text.split(/\r?\n/, 1)[0] as string;
}
