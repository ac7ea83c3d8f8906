import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Lifecycle, PARTS } from '../../../src/service/lifecycle/service-parts.ts';
import { DATABASES } from '../../postgres/databases.ts';
import type { FailedStart, FailingStarts } from './failing-starts.ts';

/** Starts of one process and one test: each takes up to five seconds on a busy machine. */
const STARTS_AT_ONCE = 9;

/** No handle kept the process alive, and nothing killed it. */
const CLEAN_EXIT = { code: 0, signal: null };

/** `PARTS`, some in each list. */
const PART_LISTS = Array.from({ length: Math.ceil(PARTS.length / STARTS_AT_ONCE) }, (_, nth) =>
  PARTS.slice(nth * STARTS_AT_ONCE, (nth + 1) * STARTS_AT_ONCE),
);
const DATABASES_AND_PARTS = DATABASES.flatMap(([database, environment]) =>
  PART_LISTS.map((parts) => ({ database, environment, parts, first: parts[0], last: parts.at(-1) })),
);

/** Runs `failing-starts.ts`, and returns what it printed and how it ended. */
async function failingStarts(what: FailingStarts) {
  const script = fileURLToPath(new URL('./failing-starts.ts', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(what)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const starts = output
    .trim()
    .split('\n')
    .map((line): FailedStart => JSON.parse(line));
  return { starts, exit: { code, signal } };
}

describe('a start that fails', () => {
  it.each(DATABASES_AND_PARTS)(
    'after any part from «$first» to «$last» leaves no port, timer, worker or other handle, on $database',
    async ({ environment, parts }) => {
      expect(await failingStarts({ moment: 'after', parts, environment: await environment() })).toEqual({
        starts: parts.map((part) => ({ part, error: `failed after ${part}`, left: [] })),
        exit: CLEAN_EXIT,
      });
    },
  );

  it('within a part leaves no port, timer, worker or other handle', async () => {
    expect(await failingStarts({ moment: 'within' })).toEqual({
      starts: [
        { part: 'database', error: expect.stringMatching(/database/), left: [] },
        { part: 'signalling', error: expect.stringMatching(/address in use|EADDRINUSE/), left: [] },
        { part: 'calls', error: expect.stringMatching(/prices\.json|PRICES_FILE/), left: [] },
        { part: 'API', error: expect.stringMatching(/EADDRINUSE/), left: [] },
      ],
      exit: CLEAN_EXIT,
    });
  });
});

describe('the lifecycle of parts', () => {
  const recorder = () => {
    const stopped: string[] = [];
    return { stopped, stop: (name: string) => void stopped.push(name) };
  };

  it('stops parts in the reverse order of their start, each with the grace time', async () => {
    const lifecycle = new Lifecycle();
    const { stopped, stop } = recorder();
    await lifecycle.start(
      'database',
      () => 'a',
      (part, graceMs) => stop(`${part} ${graceMs}`),
    );
    await lifecycle.start(
      'media',
      () => 'b',
      (part, graceMs) => stop(`${part} ${graceMs}`),
    );
    await lifecycle.stop(30);
    expect(stopped).toEqual(['b 30', 'a 30']);
  });

  it.each([
    { part: 'database', description: 'a part that is listed before the last one' },
    { part: 'media', description: 'a second start of a part' },
  ] as const)('refuses $description', async ({ part }) => {
    const lifecycle = new Lifecycle();
    const { stopped, stop } = recorder();
    await lifecycle.start('media', () => 'a', stop);
    await expect(lifecycle.start(part, () => 'b', stop)).rejects.toThrow(`${part} after media`);
    await lifecycle.stop(0);
    expect(stopped).toEqual(['a']);
  });

  it('stops each part once, even if it is stopped several times', async () => {
    const lifecycle = new Lifecycle();
    const { stopped, stop } = recorder();
    await lifecycle.start('database', () => 'a', stop);
    await Promise.all([lifecycle.stop(0), lifecycle.stop(0)]);
    await lifecycle.stop(0);
    expect(stopped).toEqual(['a']);
  });

  it('stops the other parts when one fails to stop, and names the failed part', async () => {
    const lifecycle = new Lifecycle();
    const { stopped, stop } = recorder();
    await lifecycle.start('database', () => 'a', stop);
    await lifecycle.start(
      'media',
      () => 'b',
      () => Promise.reject(new Error('stuck')),
    );
    await expect(lifecycle.stop(0)).rejects.toThrow('stopping media failed');
    expect(stopped).toEqual(['a']);
  });

  it('does not stop a part that did not start', async () => {
    const lifecycle = new Lifecycle();
    const { stopped, stop } = recorder();
    await expect(lifecycle.start('media', () => Promise.reject(new Error('no port')), stop)).rejects.toThrow('no port');
    await lifecycle.stop(0);
    expect(stopped).toEqual([]);
  });
});
