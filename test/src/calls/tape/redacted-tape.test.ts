import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeWav } from '../../../../base/audio/wav.ts';
import { exactReplay } from '../../../../engine/tape/exact-replay.ts';
import type { TapeEntry } from '../../../../engine/tape/tape-format.ts';
import { openCallTape } from '../../../../src/calls/tape/call-tape.ts';
import { readTapeFolder } from '../../../../src/cli/files/tape-folder.ts';
import { CALL_PARAMETERS } from '../../../engine/simulation/agent-with.ts';
import { Simulation } from '../../../engine/simulation/simulation.ts';

const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const MULAW_SILENCE = 0xff;
const LOUD = new Uint8Array(800).fill(3);

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'trunkline-redacted-tape-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Writes the tape of a finished call. */
async function redactedTapeOf(call: Simulation, dynamicVariables: Readonly<Record<string, string>> = {}) {
  const faults: unknown[] = [];
  const report = (fields: unknown) => void faults.push(fields);
  const tape = await openCallTape(
    { dataDir, diskLowWaterBytes: 0 },
    {
      configuration: call.compiled.agent,
      parameters: { ...CALL_PARAMETERS, dynamicVariables },
      format: FORMAT,
      log: { warn: report, error: report },
    },
  );
  for (const entry of call.tape) {
    tape?.write(entry);
    tape?.heard(LOUD);
  }
  expect(await readdir(dataDir)).toEqual([]);
  await tape?.close();
  expect(faults).toEqual([]);
  return join(dataDir, 'tapes', CALL_PARAMETERS.callId);
}

describe('the tape of a call with redaction', () => {
  it('is written at the end of the call, without digits, addresses and voices, and replays exactly', async () => {
    const call = new Simulation({
      agent: { record_tape: true, redaction: { entities: ['card', 'email'] } },
      parameters: { dynamicVariables: { mail: 'maria.jones@example.com' } },
    })
      .userSpeaks(1, 3, 'my card is 4111 1111 1111 1111')
      .userSpeaks(6, 8, 'and four double one one')
      .userSpeaks(11, 13, 'my mail is maria dot jones at example dot com')
      .hangUpAt(16)
      .runUntil(20);
    const folder = await redactedTapeOf(call, { mail: 'maria.jones@example.com' });
    const texts = await Promise.all(
      ['tape.jsonl', 'expected.json'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    for (const text of texts) expect(text).not.toMatch(/4111|1111|four|\bone\b|maria|jones|@example/i);
    expect(texts[0]).toContain('0000 0000 0000 0000');
    const { agent, header, entries } = await readTapeFolder(folder);
    expect(exactReplay(agent, header, entries)).toEqual({ ok: true, entries: call.tape.length });
    const wav = decodeWav(await readFile(join(folder, 'caller.wav')));
    const audio = wav?.data ?? new Uint8Array();
    expect(audio.length).toBe(call.tape.length * LOUD.length);
    expect(audio.every((byte) => byte === MULAW_SILENCE)).toBe(true);
  });

  it('keeps the arguments of a tool call valid: numbers become 0, names of arguments stay', async () => {
    const parameters = [
      { name: 'party_size', type: 'integer' as const },
      { name: 'one_way', type: 'boolean' as const },
      { name: 'note', type: 'string' as const },
    ];
    const book = { type: 'custom_function' as const, name: 'book', url: 'https://example.com', parameters };
    const call = new Simulation({
      agent: {
        record_tape: true,
        redaction: { entities: ['card'] },
        states: [{ name: 'start', tools: [book] }],
      },
      model: [
        { toolCalls: [{ name: 'book', arguments: { party_size: 12, one_way: true, note: 'card 4111' } }] },
        { text: 'Booked.' },
      ],
    })
      .userSpeaks(1, 3, 'a table please')
      .hangUpAt(12)
      .runUntil(16);
    const { agent, header, entries } = await readTapeFolder(await redactedTapeOf(call));
    const called = entries.flatMap(({ event }) => (event.type === 'model.tool_call' ? [event.call.arguments] : []));
    expect(called.map((text) => JSON.parse(text))).toEqual([{ party_size: 0, one_way: true, note: 'card 0000' }]);
    const runs = (tape: readonly TapeEntry[]) =>
      tape.flatMap(({ commands }) => commands.filter(({ type }) => type === 'tool.run'));
    expect(runs(entries)).toHaveLength(1);
    expect(runs(call.tape)).toHaveLength(1);
    expect(exactReplay(agent, header, entries)).toEqual({ ok: true, entries: call.tape.length });
  });
});
