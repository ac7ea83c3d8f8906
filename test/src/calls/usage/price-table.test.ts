import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NO_PRICES, priceOf, readPriceTable } from '../../../../src/calls/usage/price-table.ts';

async function fileOf(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'prices.yaml');
  await writeFile(path, content);
  return path;
}

it('without a file there are no prices', () => {
  expect(readPriceTable(null)).toBe(NO_PRICES);
});

it('reads the price of each kind of provider', async () => {
  const path = await fileOf(`
telephony: { per_minute: 0.02 }
transcriber: [{ provider: deepgram, per_minute: 0.01 }]
llm:
  - { provider: openai, per_million_input_tokens: 10, per_million_cached_input_tokens: 2, per_million_output_tokens: 20 }
voice: [{ provider: elevenlabs, per_million_characters: 50 }]
`);
  expect(readPriceTable(path)).toMatchObject({
    telephony: { per_minute: 0.02 },
    transcriber: [{ provider: 'deepgram', per_minute: 0.01 }],
    llm: [
      {
        provider: 'openai',
        per_million_input_tokens: 10,
        per_million_cached_input_tokens: 2,
        per_million_output_tokens: 20,
      },
    ],
    voice: [{ provider: 'elevenlabs', per_million_characters: 50 }],
  });
});

it('the longest matching model prefix wins', () => {
  const entries = [
    { provider: 'openai' },
    { provider: 'openai', model: 'gpt-4.1' },
    { provider: 'openai', model: 'gpt-4.1-mini' },
    { provider: 'azure', model: 'gpt-4.1-mini-2025' },
  ];
  expect(priceOf(entries, 'openai', 'gpt-4.1-mini-2025')?.model).toBe('gpt-4.1-mini');
  expect(priceOf(entries, 'openai', 'gpt-4.1')?.model).toBe('gpt-4.1');
  expect(priceOf(entries, 'openai', null)).toBe(entries[0]);
  expect(priceOf(entries, 'groq', 'gpt-4.1')).toBeUndefined();
});

it.each([
  ['voice: [{ provider: elevenlabs }]', 'voice.0.per_million_characters'],
  ['telephony: { per_minute: -1 }', 'telephony.per_minute'],
  ['telefony: {}', 'telefony'],
  ['- 1', 'expected an object, got an array'],
  ['{', ''],
])('an invalid price file is reported with its fault: %s', async (content, fault) => {
  const path = await fileOf(content);
  expect(() => readPriceTable(path)).toThrow(/^PRICES_FILE: expected a price file/);
  expect(() => readPriceTable(path)).toThrow(fault);
});

it('a missing price file is a configuration error', () => {
  expect(() => readPriceTable('/no/such/file')).toThrow(
    /^PRICES_FILE: expected a price file \(the file does not exist\), got "\/no\/such\/file"$/,
  );
  expect(() => readPriceTable('/')).toThrow(/\(it is a folder\), got "\/"$/);
});
