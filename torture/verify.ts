/** Checks a catalogue after a kill or a fault. */
import { runCommand } from '../test/support/zukan/program.ts';
import type { Place } from './kill-stores.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenarios.ts';
import { runOrThrow } from './servers.ts';

/** Returns which catalogue the kill left. A repair does not change its records. */
export async function verify(
  { command, before, after }: Pick<Scenario, 'command' | 'before' | 'after'>,
  place: Place,
  random: Random,
): Promise<string> {
  const found = await place.contents();
  if (found !== before && found !== after)
    throw new Error('the catalogue is neither the old nor the new one');
  // A restore has to be finished, as commands say that find whose files it has begun to restore. Others would be errors.
  const isUnfinished = command[0] === 'restore' && found === before;
  const isRepeated = isUnfinished || (command[0] === 'import' && random.chance(0.5));
  await runOrThrow(isRepeated ? command : ['check', '--quiet', '--repair'], place.environment);
  const expected = isRepeated ? after : found;
  if ((await place.contents()) !== expected) throw new Error('the next command changed the catalogue');
  await verifyStorage(place, expected);
  return before === after ? 'the same' : found === before ? 'the old one' : 'the new one';
}

/** There is what the catalogue and its trash need, and nothing else. */
export async function verifyStorage(place: Place, contents: string): Promise<void> {
  const { output } = await runCommand(['check', '--quiet'], place.environment);
  if (output !== 'no problems found\n') throw new Error(`check finds problems: ${output}`);
  const { output: history } = await runCommand(['export', '--history'], place.environment);
  const keys = [...contents.split('\n'), ...history.split('\n')].filter(Boolean).map((line) => {
    const { key, image } = JSON.parse(line) as { key?: string; image?: string | { key: string } };
    return typeof image === 'object' ? image.key : key;
  });
  const unused = place.stored().filter((name) => !keys.includes(name));
  if (unused.length > 0) throw new Error(`left behind: ${unused.join(', ')}`);
}
