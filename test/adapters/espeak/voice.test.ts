import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEspeakVoice } from '../../../adapters/espeak/voice.ts';
import { VOICE_DEADLINES } from '../../../adapters/segmented-voice/segment-queue.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { VoiceEvent, VoiceOptions } from '../../../engine/ports/voice.ts';
import { EventLog, settle, waitFor } from '../contract/event-log.ts';
import type { Failure } from '../contract/failure.ts';
import { SLOW_MS } from '../contract/slow-provider.ts';
import { CONTRACT_SEGMENT_BYTES, CONTRACT_TEXTS, voiceContract } from '../contract/voice.ts';
import { deadlinesFor, WIDE_DEADLINES } from '../contract/voice-responses.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const SCRIPT = join(import.meta.dirname, 'espeak-script.mjs');
/** The contract's failures that apply to a local program. */
const FAILURES: readonly Failure[] = ['no_answer', 'no_first_byte', 'stalled', 'closed', 'malformed'];

let directory = '';
let programs = 0;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'trunkline-espeak-'));
});

afterAll(() => rmSync(directory, { recursive: true }));

interface Plan {
  readonly bytes: number;
  readonly value: number;
  readonly behaviour: string;
  readonly firstAudioMs?: number;
}

function contractPlans(behaviour: string): Readonly<Record<string, Plan>> {
  const planOf = (n: number): Plan => ({
    bytes: CONTRACT_SEGMENT_BYTES,
    value: n + 1,
    behaviour,
    firstAudioMs: behaviour === 'slow' && n === 0 ? SLOW_MS : 0,
  });
  return Object.fromEntries(CONTRACT_TEXTS.map((text, n) => [text, planOf(n)]));
}

/** A program that replaces espeak-ng, with counts of its started and running processes. */
function program(behaviour: string, plans = contractPlans(behaviour)) {
  programs++;
  const pids = join(directory, `pids-${programs}`);
  const path = join(directory, `espeak-${programs}`);
  writeFileSync(pids, '');
  writeFileSync(path, `#!/bin/sh\nexec '${process.execPath}' '${SCRIPT}' '${pids}' '${JSON.stringify(plans)}'\n`);
  chmodSync(path, 0o755);
  const started = () =>
    readFileSync(pids, 'utf8')
      .split('\n')
      .filter((pid) => pid !== '');
  return { path, started: () => started().length, alive: () => started().filter(isAlive).length };
}

function isAlive(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

voiceContract(
  'espeak',
  async (scenario) => {
    const { path, started, alive } = program(scenario);
    return {
      voice: createEspeakVoice(
        { path },
        scenario === 'stalled' ? { ...WIDE_DEADLINES, stallMs: 200 } : deadlinesFor(scenario),
      ),
      format: MULAW,
      secret: 'none',
      requestCount: started,
      openSockets: alive,
      close: async () => undefined,
    };
  },
  FAILURES,
);

function open(path: string, options: Partial<VoiceOptions> = {}) {
  const log = new EventLog<VoiceEvent>();
  const stream = log.call(() =>
    createEspeakVoice({ path }, VOICE_DEADLINES).open(
      { provider: 'espeak', name: 'default', language: 'en-US', speed: 1, format: MULAW, ...options },
      log.emit,
    ),
  );
  return { log, stream };
}

describe('espeak voice', () => {
  it('a missing program fails with its reason and is not retryable', async () => {
    const { log, stream } = open('/nowhere/espeak-ng');
    stream.speak(0, 'One.');
    stream.speak(1, 'Two.');
    await log.until('failed', 2);
    const error = {
      provider: 'espeak',
      code: 'unavailable',
      message: 'espeak-ng is not installed: install it or set ESPEAK_PATH',
      retryable: false,
    };
    expect(log.events).toEqual([
      { type: 'failed', segment: 0, error },
      { type: 'failed', segment: 1, error },
    ]);
    stream.close();
  });

  it.each(['-w/tmp/x', '../../etc/passwd', '/etc/passwd', 'en us', '', 'en\0'])(
    'never passes a name that could be an option or a path to the program: %j',
    async (name) => {
      const { path, alive } = program('speaks');
      const { log, stream } = open(path, { name });
      stream.speak(0, 'One.');
      await log.until('failed');
      expect(log.events).toMatchObject([
        { type: 'failed', segment: 0, error: { code: 'bad_request', retryable: false } },
      ]);
      expect(alive()).toBe(0);
      stream.close();
    },
  );

  it('speaks the complete segment of a process that ended before its turn', async () => {
    const { path } = program('speaks', {
      'Slow.': { bytes: 150_000, value: 1, behaviour: 'speaks' },
      'Quick.': { bytes: 900, value: 2, behaviour: 'speaks' },
    });
    const { log, stream } = open(path);
    stream.speak(0, 'Slow.');
    stream.speak(1, 'Quick.');
    await log.until('done', 2);
    const bytesOf = (segment: number) =>
      log.events.reduce(
        (sum, event) => sum + (event.type === 'audio' && event.segment === segment ? event.audio.length : 0),
        0,
      );
    expect([bytesOf(0), bytesOf(1)]).toEqual([150_000, 900]);
    stream.close();
  });

  it('runs at most two processes at once, and a cancel leaves none', async () => {
    const { path, alive } = program('stalled');
    const { log, stream } = open(path);
    for (const segment of [0, 1, 2, 3]) stream.speak(segment, CONTRACT_TEXTS[segment] ?? '');
    await log.until('audio');
    expect(alive()).toBeLessThanOrEqual(2);
    stream.cancel();
    await waitFor(() => expect(alive()).toBe(0));
    await settle();
    expect(log.types()).not.toContain('failed');
    stream.close();
  });
});

const PROGRAM = 'espeak-ng';
const installed = isInstalled();

function isInstalled(): boolean {
  try {
    execFileSync(PROGRAM, ['--version']);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!installed)('the espeak-ng of this system', () => {
  it.each(['en-US', 'de-AT', 'fr', 'pt-BR'])('speaks %s at 22,050 Hz, louder than silence', async (language) => {
    const { log, stream } = open(PROGRAM, { language });
    stream.speak(0, 'One two three.');
    await log.until('done');
    const audio = Buffer.concat(log.events.flatMap((event) => (event.type === 'audio' ? event.audio : [])));
    expect(log.events.find((event) => event.type === 'audio')).toMatchObject({
      format: { encoding: 'linear16', sampleRateHz: 22_050 },
    });
    expect(audio.length / 2 / 22_050).toBeGreaterThan(0.5);
    const peak = Math.max(...new Int16Array(audio.buffer, audio.byteOffset, audio.length >> 1).map(Math.abs));
    expect(peak).toBeGreaterThan(3_000);
    stream.close();
  });

  it('speaks for about half as long at twice the speed', async () => {
    const seconds: number[] = [];
    for (const speed of [1, 2]) {
      const { log, stream } = open(PROGRAM, { speed });
      stream.speak(0, 'A table for two people tomorrow evening at eight, in the garden, please.');
      await log.until('done');
      seconds.push(
        log.events.reduce((sum, event) => sum + (event.type === 'audio' ? event.audio.length : 0), 0) / 44_100,
      );
      stream.close();
    }
    const [normal = 0, fast = 0] = seconds;
    expect(fast / normal).toBeGreaterThan(0.4);
    expect(fast / normal).toBeLessThan(0.7);
  });

  it('reports an unknown voice', async () => {
    const { log, stream } = open(PROGRAM, { name: 'xx-nobody' });
    stream.speak(0, 'Hello.');
    await log.until('failed');
    expect(log.events).toMatchObject([{ error: { code: 'bad_request', retryable: false } }]);
    stream.close();
  });

  it('speaks a text that looks like an option or markup as plain text', async () => {
    const { log, stream } = open(PROGRAM);
    stream.speak(0, '-w /tmp/never.wav <audio src="/etc/passwd"/> $(touch /tmp/never)');
    await log.until('done');
    expect(log.types()).not.toContain('failed');
    stream.close();
  });
});
