import { describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '../../console/src/generated/client.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';
import { CALL_HZ } from '../../console/src/talk/audio/call-format.ts';
import { faultOf } from '../../console/src/talk/audio/microphone-fault.ts';
import { PlayoutBuffer } from '../../console/src/talk/audio/playout-buffer.ts';
import { SincResampler } from '../../console/src/talk/audio/sinc-resampler.ts';
import { callStatus } from '../../console/src/talk/call-status.ts';
import { mediaAddress } from '../../console/src/talk/connection/media-address.ts';
import { readWebCallMessage } from '../../console/src/talk/connection/web-call-message.ts';
import { NO_CALL, type WebCallState, withMessage } from '../../console/src/talk/connection/web-call-state.ts';
import { makeTone, measureTone } from '../rtp-peer/tone.ts';

const SPEAKER_HZ = 48_000;

function entry(sequence: number, content: string): TranscriptEntry {
  const time = '2026-01-01T00:00:00.000Z';
  return { role: 'agent', sequence, start_time: time, end_time: null, content };
}

describe('the messages of a web call', () => {
  it('keep the newest form of each entry, in the order of their sequence', () => {
    const messages = [entry(1, 'Hel'), entry(3, 'You'), entry(2, 'A tool'), entry(1, 'Hello.')];
    const { entries } = messages.reduce<WebCallState>(
      (state, one) => withMessage(state, { type: 'transcript', entry: one }, 0),
      NO_CALL,
    );
    expect(entries.map(({ content }) => content)).toEqual(['Hello.', 'A tool', 'You']);
  });

  it('keep the time of the first connection and the path through the states', () => {
    const connected = { type: 'connected', callId: 'c', resumeToken: 't', resumeSeconds: 10 } as const;
    const first = withMessage(NO_CALL, connected, 5_000);
    const moved = withMessage(withMessage(first, { type: 'state', to: 'greeting' }, 6_000), connected, 9_000);
    expect(moved).toMatchObject({ phase: 'connected', callId: 'c', startedMs: 5_000, path: ['greeting'] });
  });

  it.each(['no JSON', '{"type":"mark"}', '{"type":"transcript","entry":{"sequence":"1"}}', 'null'])(
    'are ignored if the page does not know them: %s',
    (text) => {
      expect(readWebCallMessage(text)).toBeNull();
    },
  );
});

describe('the status of a web call', () => {
  const ended = (ending: WebCallState['ending']): WebCallState => ({
    ...NO_CALL,
    phase: 'ended',
    startedMs: 0,
    endedMs: 75_000,
    ending,
  });

  it('names the end and the duration, and marks what is no usual end as a fault', () => {
    expect(callStatus(ended({ type: 'ended', reason: 'agent_hangup' }), en)).toEqual({
      line: 'The agent hung up. Duration 1:15.',
      isFault: false,
    });
    for (const texts of [de, en])
      expect(callStatus(ended({ type: 'ended', reason: 'llm_error' }), texts).line).toContain(
        texts.endReasons.llm_error,
      );
    expect(callStatus(ended({ type: 'lost' }), en).isFault).toBe(true);
  });

  it.each([
    ['NotAllowedError', 'nicht'],
    ['NotFoundError', 'kein Mikrofon'],
    ['NotReadableError', 'anderes Programm'],
    ['TypeError', 'nicht öffnen'],
  ])('says in the chosen language what to do after %s', (name, words) => {
    const error = Object.assign(new Error(''), { name });
    expect(callStatus(ended({ type: 'microphone', fault: faultOf(error) }), de).line).toContain(words);
  });
});

it('the media of a call are reached where the page was loaded, whatever public URL the service has', () => {
  const { url, token } = mediaAddress('wss://wrong.example/v1/calls/abc/media?token=wct_1', 'https://host/below');
  expect([url.href, token]).toEqual(['wss://host/below/v1/calls/abc/media', 'wct_1']);
});

describe('the audio of a web call', () => {
  it('keeps its tone at another sample rate, and loses one that would alias', () => {
    for (const [hz, share] of [
      [700, 0.99],
      [11_000, 0],
    ] as const) {
      const input = Float32Array.from(makeTone(hz, 500, 8_000, SPEAKER_HZ), (sample) => sample / 32_768);
      const output: number[] = [];
      new SincResampler(SPEAKER_HZ, CALL_HZ).push(input, (sample) => output.push(Math.round(sample * 32_768)));
      expect(output.length).toBeGreaterThan(CALL_HZ * 0.49);
      const measured = Int16Array.from(output.slice(200));
      if (share === 0) expect(Math.max(...measured.map(Math.abs))).toBeLessThan(50);
      else expect(measureTone(measured, hz, CALL_HZ).share).toBeGreaterThan(share);
    }
  });

  it('starts to play with 80 ms in its buffer, and is silent after the agent was interrupted', () => {
    const buffer = new PlayoutBuffer(CALL_HZ);
    const frame = new Int16Array(CALL_HZ * 0.02).fill(8_000);
    const loudest = () => {
      const speaker = new Float32Array(128);
      buffer.fill(speaker);
      return Math.max(...speaker.map(Math.abs));
    };
    for (let count = 0; count < 3; count++) buffer.add(frame);
    expect(loudest()).toBe(0);
    for (let count = 0; count < 3; count++) buffer.add(frame);
    expect(loudest()).toBeGreaterThan(0.1);
    buffer.clear();
    expect(loudest()).toBe(0);
  });
});
