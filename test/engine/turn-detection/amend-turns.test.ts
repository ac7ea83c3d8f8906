import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import { NO_SPEECH, type SpeechSegment } from '../../../engine/core/state/speech-timeline.ts';
import { type LastTurn, SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import { amendTurns } from '../../../engine/turn-detection/amend-turns.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const turnOf = (sequence: number, item: number | null, text: string): LastTurn => ({
  entry: { sequence, startUs: sequence * 1_000_000 },
  endUs: null,
  item,
  text,
});
/** The words of an entry, as they are known now. */
const segmentOf = (entry: number, text: string): SpeechSegment => ({
  number: entry,
  revision: 2,
  state: 'final',
  text,
  startMs: entry * 1000,
  endMs: entry * 1000 + 500,
  words: [],
  claims: [{ entry, words: text.split(' ').length }],
});
function amended(context: Partial<CallContext>, segments: readonly SpeechSegment[], hasReply = true) {
  const step = ruleStep(context, 20_000);
  step.change({ userTurn: { ...SILENT_USER, ...context.userTurn, speech: { ...NO_SPEECH, segments } } });
  if (hasReply) startReply(step, null);
  amendTurns(step);
  return step.context;
}

describe('late words of a committed turn', () => {
  it('are corrected in the order of the turns, once for each of them', () => {
    const earlierTurns = [turnOf(7, 2, 'on Monday')];
    const corrections = [
      { item: 2, words: 'on Friday' },
      { item: 4, words: 'for five' },
    ];
    const after = amended({ earlierTurns, corrections }, [segmentOf(7, 'on Tuesday')]);
    expect(after.corrections).toEqual([
      { item: 2, words: 'on Tuesday' },
      { item: 4, words: 'for five' },
    ]);
    const later = amended({ earlierTurns, corrections: corrections.slice(1) }, [segmentOf(7, 'on Tuesday')]);
    expect(later.corrections.map(({ item }) => item)).toEqual([2, 4]);
  });

  it('are answered after the agent’s sentence if the turn was a backchannel', () => {
    const after = amended({ lastTurn: turnOf(7, null, 'mhm') }, [segmentOf(7, 'on Tuesday')]);
    const [item] = after.history;
    expect(item).toMatchObject({ type: 'user', text: 'on Tuesday' });
    expect(after.lastTurn).toMatchObject({ text: 'on Tuesday', item: item?.id });
    expect(after.corrections).toEqual([{ item: item?.id, words: 'on Tuesday' }]);
  });

  it('go on as the open turn if the agent is silent, unless the user has begun another one', () => {
    const context = { lastTurn: turnOf(7, null, 'mhm') };
    const words = [segmentOf(7, 'on Tuesday')];
    expect(amended(context, words, false)).toMatchObject({ lastTurn: null, userTurn: { entry: { sequence: 7 } } });
    const userTurn = { ...SILENT_USER, entry: { sequence: 8, startUs: 8_000_000 } };
    const begun = amended({ ...context, userTurn }, words, false);
    expect(begun).toMatchObject({ lastTurn: { text: 'on Tuesday' }, userTurn: { entry: { sequence: 8 } } });
    expect(begun.history).toHaveLength(1);
  });
});
