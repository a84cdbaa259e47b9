/** A wrong clock deletes nothing for good. */
import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import { expiryTime, isInDoubt, noteTime } from '../../src/lib/clock.ts';
import { uuid } from '../support/catalogues/catalogue.ts';
import { keyed, sandbox } from '../support/catalogues/import.ts';
import { forEachEngineInDepth } from '../support/servers/engines.ts';
import { runAnswering, runCommand } from '../support/zukan/program.ts';

const DAY = 86_400_000;
const start = Date.now();
const setDay = (day: number) => mock.timers.setTime(start + day * DAY);

before(() => mock.timers.enable({ apis: ['Date'], now: start }));
after(() => mock.timers.reset());

test('a time that is far from the last one begins the count again', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, 1) + day * DAY).toISOString();
  const first = noteTime({ at: '', since: '' }, at(0));
  assert.deepEqual(first, { at: at(0), since: '' });
  assert.equal(noteTime(first, at(0.01)), first, 'too early to note it again');
  assert.deepEqual(noteTime(first, at(14)), { at: at(14), since: '' });
  assert.deepEqual(noteTime(first, at(-14)), { at: at(-14), since: '' });
  for (const day of [15, -15, 400])
    assert.deepEqual(noteTime(first, at(day)), { at: at(day), since: at(day) });
  const jumped = { at: at(400), since: at(400) };
  assert.deepEqual(noteTime(jumped, at(1)), { at: at(1), since: at(1) });
  assert.deepEqual(noteTime(jumped, at(410)), { at: at(410), since: at(400) });
  const isKept = (day: number) => isInDoubt(jumped, expiryTime(at(day), 30));
  assert.deepEqual([400, 429, 430, 431].map(isKept), [true, true, false, false]);
});

await forEachEngineInDepth((engine) => {
  async function filled() {
    setDay(0);
    const box = sandbox(engine);
    await box.import([1, 2, 3].map((index) => keyed(index, { id: uuid(4, index) })));
    const environment = { ...box.environment, HISTORY_DAYS: '30' };
    const run = async (...command: string[]) => {
      const { status, output, errors } = await runCommand(command, environment);
      assert.equal(status, 0, errors);
      return { output, errors };
    };
    let changes = 0;
    /** A change on a day. Returns what it warned of. */
    const changeOn = async (day: number) => {
      setDay(day);
      return (await run('entry', 'category', `c${++changes}`, '--create')).errors;
    };
    const trashed = async () => JSON.parse((await run('trash', '--json')).output).length;
    const logged = async () => JSON.parse((await run('history', '--json')).output).length;
    return { ...box, environment, run, changeOn, trashed, logged };
  }

  describe('the trash and the history', () => {
    test('survive a day with a clock in the future, and expire in time afterwards', async () => {
      const { run, changeOn, trashed, logged } = await filled();
      await run('trash', uuid(4, 1));
      const warning =
        /^warning: the clock jumped to \S+, so the trash and the history keep .* "zukan trash --accept-clock"\n$/;
      for (const day of [400, 400.5, 1, 2]) {
        const errors = await changeOn(day);
        assert.equal(await trashed(), 1, String(day));
        if (day > 2) assert.match(errors, warning);
        else assert.equal(errors, '');
      }
      assert.equal(await logged(), 6);
      await changeOn(15);
      await changeOn(29);
      assert.match(await changeOn(30.5), warning, 'too old, but only by the clock');
      assert.deepEqual([await trashed(), await logged()], [1, 9]);
      assert.equal(await changeOn(32.5), '');
      assert.equal(await trashed(), 0);
      // The times in the future are not believed.
      assert.equal(await logged(), 4);
    });

    test('survive an import before the clock was set', async () => {
      const { run, changeOn, trashed, logged } = await filled();
      setDay(-60);
      await run('trash', uuid(4, 1));
      assert.match(await changeOn(0.1), /the clock jumped/);
      assert.equal(await trashed(), 1);
      for (const day of [10, 20, 30]) await changeOn(day);
      assert.deepEqual([await trashed(), await logged()], [1, 6]);
      await changeOn(30.2);
      assert.deepEqual([await trashed(), await logged()], [0, 4]);
    });

    test('expire at once when somebody accepts the present clock', async () => {
      const { run, changeOn, trashed, logged, environment } = await filled();
      await run('trash', uuid(4, 1));
      await run('trash', uuid(4, 2));
      await changeOn(400);
      const command = ['trash', '--accept-clock'];
      assert.match(
        (await run(...command, '--dry-run')).output,
        /2 images in the trash and 3 changes .* would be/,
      );
      const refused = await runCommand(command, environment);
      assert.match(refused.errors, /this deletes 2 images in the trash and 3 changes .* Use --yes/);
      assert.equal((await runAnswering('n\n', command, environment)).status, 1);
      assert.deepEqual([await trashed(), await logged()], [2, 4]);
      await run(...command, '--yes');
      assert.deepEqual([await trashed(), await logged()], [0, 1]);
      assert.equal(await changeOn(401), '');
    });

    test('of an older catalogue or a backup do not believe a time before that of an earlier change', async () => {
      const { run, changeOn, trashed, logged } = await filled();
      setDay(-60);
      await run('trash', uuid(4, 1));
      setDay(0.1);
      // What such a catalogue knows of jumps.
      await run('trash', '--accept-clock', '--yes');
      await changeOn(0.2);
      for (const day of [10, 20]) await changeOn(day);
      assert.deepEqual([await trashed(), await logged()], [1, 5]);
      await changeOn(30.4);
      assert.deepEqual([await trashed(), await logged()], [0, 3]);
    });
  });
});
