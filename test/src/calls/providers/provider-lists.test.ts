import pino from 'pino';
import { describe, expect, it } from 'vitest';
import type { ProviderList } from '../../../../adapters/provider-lists/provider-list.ts';
import { ProviderLists } from '../../../../src/calls/providers/provider-lists.ts';

const LOG = pino({ level: 'silent' });
const MINUTE_MS = 60_000;

/** A provider that counts its lists and answers as `answer` says. */
function provider(name: string, answer: () => Promise<ProviderList>) {
  const counted = { lists: 0 };
  const fetchList = () => {
    counted.lists += 1;
    return answer();
  };
  return { counted, list: { provider: name, kind: 'voice', fetchList } as const };
}

const voices = (...names: string[]) => names.map((name) => ({ name, label: null, language: null }));

describe('the lists of the providers', () => {
  it('keep a list for ten minutes, also for requests at once, and a failure for half a minute', async () => {
    let nowMs = 0;
    const good = provider('good', async () => ({ models: ['m'], voices: voices('v') }));
    const bad = provider('bad', () => Promise.reject(new Error('down')));
    const lists = new ProviderLists({ lists: [good.list, bad.list] }, LOG, () => nowMs);
    const [first] = await Promise.all([lists.all(), lists.all()]);
    expect(first).toMatchObject([
      { provider: 'good', status: 'listed', models: ['m'] },
      { provider: 'bad', status: 'failed', models: [], voices: [] },
    ]);
    expect([good.counted.lists, bad.counted.lists]).toEqual([1, 1]);
    nowMs = MINUTE_MS;
    await lists.all();
    expect([good.counted.lists, bad.counted.lists]).toEqual([1, 2]);
    nowMs = 10 * MINUTE_MS;
    await lists.all();
    expect(good.counted.lists).toBe(2);
  });

  it('leave out what is too much or too long', async () => {
    const names = Array.from({ length: 1_001 }, (_, nth) => `voice ${nth}`);
    const much = provider('much', async () => ({ models: ['x'.repeat(201), ''], voices: voices(...names) }));
    const none = { provider: 'none', kind: 'transcriber', fetchList: null } as const;
    const [first, second] = await new ProviderLists({ lists: [much.list, none] }, LOG, () => 0).all();
    expect(first?.models).toEqual([]);
    expect(first?.voices).toHaveLength(1_000);
    expect(second).toMatchObject({ provider: 'none', status: 'unlisted' });
  });
});
