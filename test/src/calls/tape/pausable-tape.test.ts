import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeWav } from '../../../../base/audio/wav.ts';
import { initialCallState, processInboxEntry } from '../../../../engine/session/process-inbox-entry.ts';
import { exactReplay } from '../../../../engine/tape/exact-replay.ts';
import { openCallTape } from '../../../../src/calls/tape/call-tape.ts';
import { PausableTape } from '../../../../src/calls/tape/pausable-tape.ts';
import { readTapeFolder } from '../../../../src/cli/files/tape-folder.ts';
import { CALL_PARAMETERS } from '../../../engine/simulation/agent-with.ts';
import { Simulation } from '../../../engine/simulation/simulation.ts';

const FORMAT = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const MULAW_SILENCE = 0xff;
const LOUD = 3;
const FRAME_BYTES = 800;
const PAUSE_S = 5;
const RESUME_S = 20;
const PLANTED = /4111|1111|\bfour\b|visa|anna/i;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'trunkline-pausable-tape-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** A call that is paused while the user gives a name and a number, and in which the agent repeats them afterwards. */
function pausedCall(redaction: object): Simulation {
  const call = new Simulation({
    agent: {
      record_tape: true,
      ...redaction,
      variables: [{ name: 'card' }],
      states: [
        {
          name: 'start',
          tools: [{ type: 'custom_function', name: 'pay', url: 'https://example.com', parameters: [{ name: 'card' }] }],
        },
      ],
    },
    model: [
      { text: 'Go on.' },
      { toolCalls: [{ name: 'pay', arguments: { card: 'visa 4111' } }] },
      { text: 'Visa 4111 is charged.' },
      { text: 'Yes, 4111 1111.' },
    ],
    extractions: [{ card: null }, { card: 'visa 4111' }],
  });
  return call
    .userSpeaks(1, 3, 'I would like to pay')
    .at(PAUSE_S, ({ handle }) => handle.post({ type: 'call.pause_recording' }))
    .userSpeaks(6, 8, 'Anna, visa four one one one')
    .userPresses(12, '1111123#')
    .at(RESUME_S, ({ handle }) => handle.post({ type: 'call.resume_recording' }))
    .userSpeaks(21, 23, 'did it work')
    .userPresses(27, '99#')
    .hangUpAt(32)
    .runUntil(36);
}

/** All texts in a value. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

describe.each([{}, { redaction: { entities: ['card'] } }])(
  'the tape of a call that was paused, with %j',
  (redaction) => {
    it('holds neither words, digits nor audio of the pause, keeps the rest, and replays exactly', async () => {
      const call = pausedCall(redaction);
      const { compiled } = call;
      const log = { warn: expect.fail, error: expect.fail };
      const taped = { configuration: compiled.agent, parameters: CALL_PARAMETERS, format: FORMAT, log };
      const written = await openCallTape({ dataDir, diskLowWaterBytes: 0 }, taped);
      if (written === null) throw new Error('no tape');
      const tape = new PausableTape(written, compiled, FORMAT);
      let state = initialCallState(compiled, CALL_PARAMETERS);
      for (const record of call.tape) {
        state = processInboxEntry(state, record).state;
        tape.write(record, state);
        tape.heard(new Uint8Array(FRAME_BYTES).fill(LOUD));
      }
      await tape.close();

      const folder = join(dataDir, 'tapes', CALL_PARAMETERS.callId);
      const [events = '', expected = ''] = await Promise.all(
        ['tape.jsonl', 'expected.json'].map((name) => readFile(join(folder, name), 'utf8')),
      );
      const lines = events.split('\n').filter((line) => line !== '');
      for (const line of [...lines, expected])
        expect(textsOf(JSON.parse(line)).filter((text) => PLANTED.test(text))).toEqual([]);
      expect(events).toContain('I would like to pay');
      expect(events).toContain('did it work');
      expect(events).toContain('"recording_pause"');
      const { agent, header, entries } = await readTapeFolder(folder);
      expect(exactReplay(agent, header, entries)).toEqual({ ok: true, entries: call.tape.length });

      if ('redaction' in redaction) return;
      const { data = new Uint8Array() } = decodeWav(await readFile(join(folder, 'caller.wav'))) ?? {};
      const isLoud = call.tape.map((_, index) => data[index * FRAME_BYTES] !== MULAW_SILENCE);
      // The frame follows its record: that of the pause is silent, that of the resume is loud.
      const paused = call.tape.map(({ atUs }) => atUs >= PAUSE_S * 1e6 && atUs < RESUME_S * 1e6);
      expect(isLoud).toEqual(paused.map((isPaused) => !isPaused));
      expect(data.length).toBe(call.tape.length * FRAME_BYTES);
    });
  },
);
