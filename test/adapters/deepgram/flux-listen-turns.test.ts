import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeFluxMessage } from '../../../adapters/deepgram/flux-listen-message.ts';
import { FluxListenTurns } from '../../../adapters/deepgram/flux-listen-turns.ts';
import { SentAudio } from '../../../adapters/socket-transcriber/sent-audio.ts';
import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import { turnInfo } from '../../providers/deepgram/flux-listen.ts';

const MULAW: AudioFormat = { encoding: 'mulaw', sampleRateHz: 8_000 };

describe('turns of a Flux stream', () => {
  function phasesOf(infos: readonly (readonly [event: string, text: string, turn?: number])[]) {
    const turns = new FluxListenTurns(new SentAudio(MULAW, 0));
    return infos.flatMap(([event, text, turn = 0], n) => {
      const message = decodeFluxMessage(JSON.stringify(turnInfo(event, text, { turn, startMs: 0, endMs: n * 250 })));
      if (message.type !== 'TurnInfo') throw new Error(message.type);
      return turns.eventsOf(message).map(({ phase, text }) => `${phase} ${text}`);
    });
  }

  it('emits `resumed` before an end whose words differ from the eager end', () => {
    expect(
      phasesOf([
        ['StartOfTurn', 'A'],
        ['EagerEndOfTurn', 'A b'],
        ['EndOfTurn', 'A b c'],
      ]),
    ).toEqual(['started A', 'eager_end A b', 'resumed A b c', 'ended A b c']);
  });

  it('has the language that the multilingual model detects most', () => {
    const turns = new FluxListenTurns(new SentAudio(MULAW, 0));
    const heard = { ...turnInfo('Update', 'Quisiera', { turn: 0, startMs: 0, endMs: 500 }), languages: ['es', 'en'] };
    const message = decodeFluxMessage(JSON.stringify(heard));
    if (message.type !== 'TurnInfo') throw new Error(message.type);
    expect(turns.eventsOf(message)).toMatchObject([{ phase: 'started', language: 'es' }]);
  });

  it('a new turn ends the previous one without an end message', () => {
    expect(
      phasesOf([
        ['EagerEndOfTurn', 'A b'],
        ['EndOfTurn', 'C', 1],
        ['EndOfTurn', 'A b', 0],
      ]),
    ).toEqual(['eager_end A b', 'ended A b', 'ended C']);
  });

  it('reports words that first came with an unknown event at the next update', () => {
    expect(
      phasesOf([
        ['StartOfTurn', 'A'],
        ['Pondering', 'A b'],
        ['Update', 'A b'],
      ]),
    ).toEqual(['started A', 'updated A b']);
  });

  it('reports new words of a `TurnResumed` without an eager end', () => {
    expect(
      phasesOf([
        ['StartOfTurn', 'A'],
        ['TurnResumed', 'A b'],
        ['Update', 'A b'],
      ]),
    ).toEqual(['started A', 'updated A b']);
  });

  it('a turn without words emits nothing', () => {
    expect(
      phasesOf([
        ['Update', ''],
        ['EndOfTurn', ''],
        ['StartOfTurn', 'A', 1],
      ]),
    ).toEqual(['started A']);
  });

  it('a turn without word times begins after the last update without words', () => {
    const turns = new FluxListenTurns(new SentAudio(MULAW, 1_000));
    const events = [
      turnInfo('Update', '', { startMs: 0, endMs: 500 }),
      turnInfo('StartOfTurn', 'Hi', { startMs: 0, endMs: 600 }),
      turnInfo('EndOfTurn', 'Hi', { startMs: 0, endMs: 1_500 }),
    ].flatMap((json) => {
      const message = decodeFluxMessage(JSON.stringify(json));
      return message.type === 'TurnInfo' ? turns.eventsOf(message) : [];
    });
    expect(events).toMatchObject([
      { phase: 'started', startMs: 1_500, endMs: 1_600 },
      { phase: 'ended', startMs: 1_500, endMs: 1_600 },
    ]);
  });

  it('ends each turn at most once, in order, with the words of its eager end, for any order of messages', () => {
    const event = fc.constantFrom('StartOfTurn', 'Update', 'EagerEndOfTurn', 'TurnResumed', 'EndOfTurn');
    const info = fc.tuple(event, fc.constantFrom('', 'A', 'A b', 'A b c'), fc.nat(3));
    fc.assert(
      fc.property(fc.array(info, { maxLength: 30 }), (infos) => {
        let eager: string | undefined;
        let ended = 0;
        for (const event of phasesOf(infos)) {
          const [phase] = event.split(' ');
          const text = event.slice(event.indexOf(' ') + 1);
          expect(text).not.toBe('');
          if (phase === 'resumed') expect(eager).not.toBe(undefined);
          if (phase === 'ended' && eager !== undefined) expect(text).toBe(eager);
          if (phase === 'ended') ended++;
          eager = phase === 'eager_end' ? text : undefined;
        }
        expect(ended).toBeLessThanOrEqual(4);
      }),
    );
  });

  it('decoding never throws, for any text and any JSON', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void decodeFluxMessage(text)));
  });
});
