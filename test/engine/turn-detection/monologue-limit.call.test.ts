import { describe, expect, it } from 'vitest';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const agent = { max_monologue: 5 };
const NOTE = '[The caller is still talking. Answer briefly what they have said so far.]';
const STORY = 'it all began when I came home late and found the door open so I called my neighbour';
const words = STORY.split(' ');
/** The user begins at 1 s and says two words a second. */
const startOf = (index: number) => 1_000 + index * 500;

function told(count: number): readonly TranscribedWord[] {
  return words.slice(0, count).map((text, index) => ({ text, startMs: startOf(index), endMs: startOf(index + 1) }));
}

/** Interims twice a second, 0.2 s behind the words; a final with all of them at the end. */
function storyteller(given: Partial<{ withTimes: boolean; agent: object }> = {}): Simulation {
  const call = new Simulation({ agent: given.agent ?? agent }).at(1, (one) =>
    one.media.emit({ type: 'speech_started', audioMs: 1_000 }),
  );
  for (let count = 1; count < words.length; count++) {
    const text = words.slice(0, count).join(' ');
    const endMs = startOf(count);
    call.at((endMs + 200) / 1000, (one) => one.emitTranscriberEvent({ type: 'interim', text, startMs: 1_000, endMs }));
  }
  const endMs = startOf(words.length);
  const all = given.withTimes === true ? told(words.length) : [];
  return call
    .at(endMs / 1000, (one) => one.media.emit({ type: 'speech_stopped', audioMs: endMs }))
    .at(endMs / 1000 + 0.3, (one) =>
      one.emitTranscriberEvent({ type: 'final', text: STORY, words: all, startMs: 1_000, endMs, endOfTurn: true }),
    );
}

function callerWords(call: Simulation): string {
  return call.dialogue
    .filter((line) => line.startsWith('user: '))
    .map((line) => line.slice('user: '.length))
    .join(' ');
}

describe('a user who does not stop talking', () => {
  it.each([true, false])(
    'is answered after that time; no word is lost and none heard twice (word times: %s)',
    (withTimes) => {
      const call = storyteller({ withTimes }).runUntil(30);
      const [first, second] = call.modelRequests.map(({ messages }) => messages.at(-1)?.content);
      // At 6 s nine words are known.
      expect(first).toBe(`${words.slice(0, 9).join(' ')} ${NOTE}`);
      expect(call.journalEntries('turn_metrics')[0]?.metrics.turn).toBe(1);
      expect(call.heard[0]).toMatchObject({ text: 'Yes.', fromMs: 6_300 });
      expect(callerWords(call)).toBe(STORY);
      expect(second).toBe(words.slice(9).join(' '));
      expect(JSON.stringify(call.journal)).not.toContain('still talking');
      expectReplay(call);
    },
  );

  it('does not interrupt the agent by going on, and is held by nothing', () => {
    const call = storyteller().runUntil(30);
    expect(call.heard[0]).toEqual({ text: 'Yes.', fromMs: 6_300, toMs: 6_500 });
    expect(call.commands.filter(({ type }) => type === 'playout.pause' || type === 'model.cancel')).toEqual([]);
  });

  it('is heard out where the agent sets no limit', () => {
    const call = storyteller({ agent: {} }).runUntil(30);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe(STORY);
  });

  it('is answered as any other where the turn ends before', () => {
    const call = new Simulation({ agent }).userSpeaks(0.5, 5.2, 'I want a table.').runUntil(10);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe('I want a table.');
  });

  it('without a word yet is not answered', () => {
    const call = new Simulation({ agent })
      .at(1, (one) => one.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .runUntil(30);
    expect(call.modelRequests).toEqual([]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('is cut by a transcriber that detects turns, too', () => {
    const call = new Simulation({ agent, parameters: { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } } });
    const turn = (phase: 'started' | 'updated' | 'ended', count: number) =>
      call.at((startOf(count) + 200) / 1000, (one) =>
        one.emitTranscriberEvent({
          type: 'turn',
          phase,
          text: words.slice(0, count).join(' '),
          startMs: 1_000,
          endMs: startOf(count),
        }),
      );
    turn('started', 1);
    for (let count = 2; count < words.length; count++) turn('updated', count);
    turn('ended', words.length);
    call.runUntil(30);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      `${words.slice(0, 9).join(' ')} ${NOTE}`,
      words.slice(9).join(' '),
    ]);
    expect(callerWords(call)).toBe(STORY);
  });
});
