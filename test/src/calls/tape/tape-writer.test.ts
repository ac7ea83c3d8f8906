import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AudioFormat } from '../../../../base/audio/audio-format.ts';
import { decodeWav } from '../../../../base/audio/wav.ts';
import type { CallCommand } from '../../../../engine/core/command.ts';
import type { CallEvent } from '../../../../engine/core/event.ts';
import type { Media } from '../../../../engine/ports/media.ts';
import { exactReplay } from '../../../../engine/tape/exact-replay.ts';
import { withUserAudioListener } from '../../../../src/calls/tape/media-with-listener.ts';
import { openTape } from '../../../../src/calls/tape/tape-writer.ts';
import { readTapeFolder } from '../../../../src/cli/files/tape-folder.ts';
import { agentWith, CALL_PARAMETERS } from '../../../engine/simulation/agent-with.ts';
import { Simulation } from '../../../engine/simulation/simulation.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };
const LINEAR: AudioFormat = { encoding: 'linear16', sampleRateHz: 24_000 };

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'trunkline-tape-')), 'call');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const ms = (count: number, value: number) => new Uint8Array(count * 8).fill(value);
const audioOf = async (name: string) => {
  const wav = decodeWav(await readFile(join(folder, name)));
  if (wav === null) throw new Error(`${name} is not a WAV file`);
  return wav;
};

async function open(agent = agentWith({}), onLost = (error: Error): void => expect.unreachable(error.message)) {
  const tape = await openTape(folder, agent, CALL_PARAMETERS, MULAW, onLost);
  let seq = 0;
  const record = (event: CallEvent, commands: readonly CallCommand[] = []) =>
    tape.write({ seq: seq++, atUs: seq * 1000, event, commands });
  return { tape, record };
}

describe('DTMF digits that spell a number of the call', () => {
  it.each([
    ['by the terminator', '#', 10],
    ['by a pause', '', 10],
    ['by the end of the call', '', 3.9],
  ])('are masked like that number, and the call replays exactly (entry ended %s)', async (_, terminator, endS) => {
    const number = CALL_PARAMETERS.fromNumber?.slice(1) ?? '';
    const call = new Simulation({ agent: {} }).userSpeaks(2, 2.5, 'Well');
    for (const [index, digit] of [...number, ...terminator].entries()) {
      call.at(1 + index * 0.25, (one) => one.media.emit({ type: 'dtmf', digit, durationMs: 100 }));
    }
    call.hangUpAt(endS).runUntil(20);
    const tape = await openTape(folder, call.compiled.agent, CALL_PARAMETERS, MULAW, (error) =>
      expect.unreachable(error.message),
    );
    for (const entry of call.tape) tape.write(entry);
    await tape.close();
    const { agent, header, entries } = await readTapeFolder(folder);
    expect(exactReplay(agent, header, entries)).toEqual({ ok: true, entries: call.tape.length });
    const pressed = entries.map(({ event }) => (event.type === 'media.dtmf' ? event.digit : '')).join('');
    expect(pressed).toBe(`49${'0'.repeat(number.length - 4)}56${terminator}`);
    expect(await readFile(join(folder, 'tape.jsonl'), 'utf8')).not.toContain(number);
  });

  it('do not delay a tape forever', async () => {
    const { tape, record } = await open();
    const waiting = { type: 'timer.start', timer: 'dtmf_entry', delayMs: 2_000 } as const;
    record({ type: 'media.dtmf', digit: '1', durationMs: 100 }, [waiting]);
    for (let nth = 0; nth < 1_500; nth++) record({ type: 'transcriber.ready' });
    await tape.close();
    expect((await readTapeFolder(folder)).entries).toHaveLength(1_501);
  });
});

describe('the tape of a live call', () => {
  it('is a folder of five files that only its owner can read', async () => {
    const { tape, record } = await open();
    record({ type: 'call.offered' }, [
      { type: 'journal.write', entry: { type: 'state', from: null, to: 'start', atUs: 0 } },
    ]);
    await tape.close();
    expect((await readdir(folder)).toSorted()).toEqual([
      'agent.json',
      'caller.wav',
      'expected.json',
      'tape.jsonl',
      'voice.wav',
    ]);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
    expect((await readTapeFolder(folder)).entries).toHaveLength(1);
    expect(JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8'))).toMatchObject({ states: ['start'] });
  });

  it('contains the exact audio of the user, for any packet sizes', async () => {
    const { tape } = await open();
    const packet = ms(20, 1);
    tape.heard(packet);
    packet.fill(9);
    tape.heard(ms(30, 2));
    for (let count = 0; count < 500; count++) tape.heard(ms(20, 3));
    await tape.close();
    const { data, format } = await audioOf('caller.wav');
    expect(format).toEqual(MULAW);
    expect(Buffer.compare(data, Buffer.concat([ms(20, 1), ms(30, 2), ms(10_000, 3)]))).toBe(0);
  });

  it('contains each segment with its reported duration, and no cancelled one', async () => {
    const { tape, record } = await open();
    tape.spoken(1, MULAW, ms(100, 1));
    tape.spoken(1, MULAW, ms(50, 1));
    record({ type: 'voice.done', segment: 1, durationMs: 150 });
    tape.spoken(2, MULAW, ms(100, 2));
    record({ type: 'media.speech_started', audioMs: 0 }, [{ type: 'voice.cancel', from: 2 }]);
    tape.spoken(3, MULAW, ms(40, 3));
    record({
      type: 'voice.failed',
      segment: 3,
      durationMs: 40,
      error: { provider: 'test', code: 'closed', message: '', retryable: false },
    });
    await tape.close();
    expect(Buffer.compare((await audioOf('voice.wav')).data, Buffer.concat([ms(150, 1), ms(40, 3)]))).toBe(0);
  });

  it('writes silence for a segment of another format, after a voice failover', async () => {
    const { tape, record } = await open();
    tape.spoken(1, LINEAR, new Uint8Array(4_800).fill(1));
    record({ type: 'voice.done', segment: 1, durationMs: 100 });
    tape.spoken(2, MULAW, ms(50, 2));
    record({ type: 'voice.done', segment: 2, durationMs: 50 });
    await tape.close();
    const { data, format } = await audioOf('voice.wav');
    expect(format).toEqual(LINEAR);
    expect(data).toHaveLength(4_800 + 2_400);
    expect(new Set(data.subarray(4_800))).toEqual(new Set([0]));
  });

  it('masks both numbers in every text in the same way', async () => {
    const agent = agentWith({ base_prompt: 'You answer 4930654321 and call +49 30 123456, or 4930123456.' });
    const { tape, record } = await open(agent);
    record({ type: 'call.context', content: 'calls from +4930123456' }, [
      {
        type: 'journal.write',
        entry: { type: 'variable', name: 'n', variableType: 'string', value: '4930123456', atUs: 0 },
      },
    ]);
    await tape.close();
    for (const name of ['agent.json', 'tape.jsonl', 'expected.json']) {
      const text = await readFile(join(folder, name), 'utf8');
      expect(text).not.toContain('4930123456');
      expect(text).not.toContain('4930654321');
      expect(text).toContain('4900000056');
    }
  });

  it('is reported lost once, without waiting or throwing, if it cannot be written', async () => {
    const lost: Error[] = [];
    const { tape, record } = await open(agentWith({}), (error) => lost.push(error));
    // More than the bound within one turn of the event loop, in which no byte can be written.
    for (let count = 0; count < 20; count++) tape.heard(new Uint8Array(1_000_000));
    record({ type: 'call.offered' });
    tape.spoken(1, MULAW, ms(20, 1));
    await tape.close();
    expect(lost.map(({ message }) => message)).toEqual(['the disk is too slow for the tape']);
    expect(await readdir(folder)).not.toContain('expected.json');
  });

  it('affects nothing else if it loses its files or cannot be created', async () => {
    const lost: Error[] = [];
    const { tape, record } = await open(agentWith({}), (error) => lost.push(error));
    await rm(folder, { recursive: true, force: true });
    record({ type: 'call.offered' });
    await tape.close();
    expect(lost).toHaveLength(1);
    await writeFile(folder, 'a file where the folder should be');
    await expect(openTape(folder, agentWith({}), CALL_PARAMETERS, MULAW, () => {})).rejects.toThrow(/EEXIST|ENOTDIR/);
  });

  it('contains each frame once, even if the engine sets its listener again', () => {
    const listeners: ((format: AudioFormat, audio: Uint8Array) => void)[] = [];
    const media = mediaWith({ onAudio: (listener) => listeners.push(listener) });
    const taped: number[] = [];
    const heard: string[] = [];
    const taping = withUserAudioListener(media, { heard: (audio) => taped.push(audio.length) });
    taping.onAudio(() => heard.push('first'));
    taping.onAudio(() => heard.push('second'));
    for (const listener of listeners) listener(MULAW, ms(20, 0));
    expect(taped).toEqual([160]);
    expect(heard).toEqual(['second']);
  });

  it.each([true, false])('leaves it to the engine whether audio is duckable: %s', (duckable) => {
    const played: (boolean | undefined)[] = [];
    const media = mediaWith({
      play: (_utterance, _segment, _format, _audio, isDuckable) => played.push(isDuckable) > 0,
    });
    withUserAudioListener(media, { heard: () => {} }).play(1, 1, MULAW, ms(20, 0), duckable);
    expect(played).toEqual([duckable]);
  });
});

function mediaWith(changes: Partial<Media>): Media {
  const nothing = () => {};
  return {
    format: MULAW,
    play: () => true,
    endSegment: nothing,
    clear: nothing,
    pause: nothing,
    resume: nothing,
    sendDtmf: nothing,
    listenForTones: nothing,
    onAudio: nothing,
    onDrained: nothing,
    onEvent: nothing,
    close: nothing,
    ...changes,
  };
}
