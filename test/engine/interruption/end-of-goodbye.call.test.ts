import { describe, expect, it } from 'vitest';
import { VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const GOODBYE = 'Thank you for calling. Goodbye and have a nice day.';
const ANNOUNCEMENT = 'I connect you to a colleague now.';

/** A call whose second reply calls `tool`; the user speaks, or coughs if `text` is empty, before its end. */
function callWith(tool: 'hang_up' | 'transfer', beforeEndS: number, lengthS: number, text: string): Simulation {
  const speech = tool === 'hang_up' ? GOODBYE : ANNOUNCEMENT;
  const tools =
    tool === 'hang_up'
      ? [{ type: 'hang_up' as const, name: tool }]
      : [{ type: 'transfer_call' as const, name: tool, destination: '+4930111111' }];
  const agent = { states: [{ name: 'start', tools }] };
  const model = [{ text: speech, toolCalls: [{ name: tool }] }, { text: 'Of course.' }];
  const quiet = new Simulation({ agent, model }).userSpeaks(0.5, 1.5, 'That is all.').runUntil(12);
  const from = (quiet.heard.at(-1)?.toMs ?? 0) / 1000 - beforeEndS;
  const call = new Simulation({ agent, model }).userSpeaks(0.5, 1.5, 'That is all.');
  call.at(from, () => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }));
  call.at(from + lengthS, () => call.media.emit({ type: 'speech_stopped', audioMs: (from + lengthS) * 1000 }));
  if (text !== '') call.at(from + lengthS + VOICE_MS / 1000, () => call.emitFinal(from, from + lengthS, text));
  call.runUntil(12);
  expectReplay(call);
  return call;
}

describe('speech that begins before the end of a goodbye', () => {
  it.each([0.1, 0.3, 0.5])('%s s earlier is answered', (beforeEndS) => {
    const call = callWith('hang_up', beforeEndS, 1.4, 'Wait, one more question.');
    expect(call.heardTexts.at(-1)).toBe('Of course.');
    expect(call.endReason).toBeNull();
  });

  it('of a transfer keeps the call', () => {
    const call = callWith('transfer', 0.3, 0.8, 'No, please don’t.');
    expect(call.heardTexts.at(-1)).toBe('Of course.');
    expect(call.commandTimesMs('call.transfer')).toEqual([]);
  });

  it.each([
    ['a farewell', 0.4, 'Bye.'],
    ['a cough', 0.2, ''],
  ])('with %s hangs up', (_sound, lengthS, text) => {
    expect(callWith('hang_up', 0.1, lengthS, text).endReason).not.toBeNull();
  });
});
