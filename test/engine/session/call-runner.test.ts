import { describe, expect, it } from 'vitest';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import { Simulation } from '../simulation/simulation.ts';

const WITH_INITIAL_MESSAGE = { initial_message: 'Hello.' };
const FAILED = { provider: 'test', code: 'closed', message: 'gone', retryable: true } as const;
const throwInjected = (): never => {
  throw new Error('injected');
};

describe('a port that throws', () => {
  it('ends the call if it is the media port', () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE });
    call.media.play = throwInjected;
    expect(() => call.runUntil(20)).not.toThrow();
    expect(call.endReason).toBe('media_error');
    expect(call.clock.pending).toBe(0);
  });

  it('does not disturb the call if it is the journal or the tape', () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE });
    call.journal.push = throwInjected;
    call.tape.push = throwInjected;
    call.runUntil(5);
    expect(call.heard).toHaveLength(1);
    expect(call.noticesOf('tape_write_failed')[0]?.error).toBe('Error: injected');
    expect(call.noticesOf('port_failed')[0]).toEqual({
      type: 'port_failed',
      port: 'journal',
      error: 'Error: injected',
    });
  });

  it('does not disturb the call if a replaced transcriber fails to close', () => {
    const call = new Simulation({
      agent: WITH_INITIAL_MESSAGE,
      transcriberStreams: [{ neverReady: true }, { neverReady: true }],
    });
    call.onTranscriberClose(throwInjected);
    call
      .at(2, (call) => call.emitTranscriberEvent({ type: 'failed', error: FAILED }))
      .userSpeaks(8, 9, 'Hello?')
      .runUntil(15);
    expect(call.transcriberStreams).toHaveLength(3);
    expect(call.heard.map(({ text }) => text)).toEqual(['Hello.', 'Yes.']);
    call.hangUpAt(16).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
    expect(call.clock.pending).toBe(0);
  });

  it('counts as a transcriber failure if it is the transcriber', () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE });
    call.failTranscriberWrites();
    call.at(1, () => call.media.receive(20)).runUntil(30);
    expect(call.endReason).toBe('transcriber_error');
  });
});

describe('the call runner', () => {
  it('processes events one at a time, in the order of their posting', () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE }).runUntil(0.1);
    const before = call.tape.length;
    call.handle.post({ type: 'call.say', text: 'One.', interrupt: false });
    call.handle.post({ type: 'call.context', content: 'The shop closes at six.' });
    expect(call.tape.slice(before).map(({ seq, event }) => [seq, event.type])).toEqual([
      [before, 'call.say'],
      [before + 1, 'call.context'],
    ]);
  });

  it('records the position in the user’s audio for each event', () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE });
    for (let packet = 1; packet <= 50; packet++) call.at(packet / 50, () => call.media.receive(20));
    call.userSpeaks(0.7, 0.9, 'Yes.').runUntil(3);
    expect(call.tape.find(({ event }) => event.type === 'transcriber.final')?.audioMs).toBe(1_000);
    expect(call.tape[0]).not.toHaveProperty('audioMs');
  });

  it('passes on audio in order, only as fast as the playout accepts it', () => {
    const call = new Simulation({ agent: { initial_message: 'One two. Three four.' } });
    const playoutCalls: string[] = [];
    let isFull = true;
    call.media.play = (utterance: number, segment: number, _format: AudioFormat, audio: Uint8Array) => {
      if (isFull) return false;
      playoutCalls.push(`${utterance}/${segment}: ${audio.length}`);
      return true;
    };
    call.media.endSegment = (utterance, segment) => {
      playoutCalls.push(`${utterance}/${segment} ends`);
    };
    call.runUntil(0.5);
    expect(playoutCalls).toEqual([]);
    isFull = false;
    call.media.notifyDrained();
    expect(playoutCalls).toEqual(['1/1: 3200', '1/1 ends', '1/2: 4400', '1/2 ends']);
  });

  it('issues no command after the end of the call, for any event', () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE, model: [{ after: 5, text: 'Late.' }] })
      .userSpeaks(1, 2, 'Hello?')
      .hangUpAt(3)
      .runUntil(4);
    const commands = call.commands.length;
    call.emitTranscriberEvent({ type: 'final', text: 'More.', words: [], startMs: 0, endMs: 9_000 });
    call.handle.post({ type: 'tool.result', toolCallId: 'x', result: { successful: true, content: '', mapped: [] } });
    call.runUntil(60);
    expect(call.commands).toHaveLength(commands);
    expect(call.media.usesAfterClose).toBe(0);
  });

  it('resolves `ended` once, with the reason', async () => {
    const call = new Simulation({ agent: WITH_INITIAL_MESSAGE }).hangUpAt(1).runUntil(5);
    await expect(call.handle.ended).resolves.toBe('caller_hangup');
  });
});
