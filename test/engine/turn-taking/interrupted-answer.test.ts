import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import { NO_SPEECH } from '../../../engine/core/state/speech-timeline.ts';
import type { AgentItem } from '../../../engine/core/state/transcript-slice.ts';
import type { LastTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { changeReply, speakSegment, startReply } from '../../../engine/playout/reply.ts';
import { addAgentItem, addToolResult, addUserText, changeAgentItem } from '../../../engine/transcript/history.ts';
import { interruptAnswer } from '../../../engine/turn-taking/interrupted-answer.ts';
import { commitWords } from '../../../engine/user-speech/commit-mark.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { HANG_UP_AFTER_GOODBYE, issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { RUNNING_GENERATION } from './running-generation.ts';

const NOW_MS = 3_000;
const SPEECH_END_MS = 1_500;
/** The first packet of the answer has left this long ago. */
const PLAYED_MS = 40;
const ENTRY = { sequence: 1, startUs: 500_000 };

interface Situation {
  readonly segment?: Partial<Segment>;
  readonly item?: Partial<AgentItem>;
  readonly reply?: Partial<Reply>;
  readonly changes?: (context: CallContext) => Partial<CallContext>;
  readonly hasResult?: boolean;
}

/** «I want a table.» was committed and its answer has just begun, as the user goes on. */
function interrupted({ segment = {}, item = {}, reply = {}, changes, hasResult = false }: Situation = {}): RuleStep {
  const step = ruleStep({}, NOW_MS);
  const revision = { text: 'I want a table.', startMs: 500, endMs: SPEECH_END_MS, words: [], isFinal: true };
  const said = revise(NO_SPEECH, revision, { activityStartMs: 500, wordErrorMs: 0 });
  const speech = commitWords(said, { entry: ENTRY.sequence, activityStartMs: 500, activityEndMs: SPEECH_END_MS });
  const lastTurn: LastTurn = {
    entry: ENTRY,
    endUs: SPEECH_END_MS * 1000,
    item: addUserText(step, 'I want a table.'),
    text: 'I want a table.',
  };
  const number = step.nextNumber('turn');
  startReply(step, { number, speechEndedUs: SPEECH_END_MS * 1000, endedUs: SPEECH_END_MS * 1000 + 200_000 });
  const answer = addAgentItem(step);
  speakSegment(step, answer, 'Unfortunately we have none.');
  changeAgentItem(step, answer, item);
  if (hasResult) addToolResult(step, 'a', '{}');
  const playout = { startedUs: (NOW_MS - PLAYED_MS) * 1000, startMs: 0 };
  const segments = step.context.reply?.segments.map((spoken) => ({ ...spoken, playout, ...segment })) ?? [];
  changeReply(step, { segments, ...reply });
  step.change({ lastTurn, userTurn: { ...step.context.userTurn, speech, speaking: true } });
  step.change(changes?.(step.context) ?? {});
  step.commands.length = 0;
  interruptAnswer(step);
  return step;
}

/** The user’s speech has paused the playback. */
const PAUSED = {
  status: 'confirmed' as const,
  startedUs: NOW_MS * 1000,
  stoppedUs: null,
  lastedUntilUs: null,
  pausedUntilUs: null,
  wordsBefore: 0,
  playedMs: PLAYED_MS,
};
const isOneTurn = (situation: Situation = {}) => interrupted(situation).context.userTurn.entry !== null;
const typesOf = (step: RuleStep) => issuedCommands(step).map(({ type }) => type);

describe('a user who interrupts an answer of which no word was heard', () => {
  it('goes on with their turn: the answer and the turn’s item are forgotten', () => {
    const { context } = interrupted();
    expect(context).toMatchObject({ reply: null, interruption: null, corrections: [], lastTurn: null, history: [] });
    expect(context.userTurn).toMatchObject({ entry: ENTRY, startedUs: ENTRY.startUs, endedUs: SPEECH_END_MS * 1000 });
  });

  it('hears nothing more of the answer, and its model is stopped', () => {
    const commands = issuedCommands(interrupted({ reply: { generation: RUNNING_GENERATION } }));
    expect(commands).toContainEqual({ type: 'voice.cancel', from: 1 });
    expect(commands).toContainEqual({ type: 'playout.clear', utterance: 1 });
    expect(commands).toContainEqual({ type: 'model.cancel', generation: RUNNING_GENERATION.number });
    expect(typesOf(interrupted())).not.toContain('model.cancel');
    const ended = interrupted({ reply: { generation: { ...RUNNING_GENERATION, hasEnded: true } } });
    expect(typesOf(ended)).not.toContain('model.cancel');
  });

  it('leaves no playback paused', () => {
    expect(typesOf(interrupted({ changes: () => ({ interruption: PAUSED }) }))).toContain('playout.resume');
    expect(typesOf(interrupted())).not.toContain('playout.resume');
  });

  it('waits for no more of it: its timers stop', () => {
    expect(interrupted().commands).toContainEqual({ type: 'timer.stop', timer: 'generation' });
  });

  it('has heard its sound until now, unless the playback was paused or over', () => {
    const soundMs = (situation: Situation) => interrupted(situation).context.fillers.agentSoundUs / 1000;
    expect(soundMs({})).toBe(NOW_MS);
    expect(soundMs({ changes: () => ({ interruption: PAUSED }) })).toBe(0);
    expect(interrupted().context.fillers.afterFiller).toBe(false);
  });

  it('hears the initial message afterwards, if that was the answer', () => {
    const items = interrupted().context.lastPlayedSegments.map(({ item }) => item);
    const keptTexts = items.map((item) => ({ item, text: 'initial_message' as const }));
    expect(interrupted({ reply: { keptTexts } }).context.initialMessage).toBe('pending');
    expect(interrupted().context.initialMessage).toBe('done');
  });

  it('may still hear the echo of what was played', () => {
    expect(interrupted().context.lastPlayedSegments.map(({ number }) => number)).toEqual([1]);
  });
});

describe('a user who interrupts an answer begins another turn', () => {
  it('not before a word of it was heard', () => {
    expect(isOneTurn()).toBe(true);
  });

  it.each<[string, Situation]>([
    ['once a word was heard', { segment: { playout: { startedUs: 0, startMs: 0 } } }],
    ['once the answer is in the transcript', { item: { entry: { sequence: 2, startUs: 0 } } }],
    ['if the answer has called a tool', { item: { calls: [{ id: 'a', name: 'lookup', arguments: '{}' }] } }],
    ['if a tool has answered', { hasResult: true }],
    ['if the call ends after the answer', { reply: { followUp: HANG_UP_AFTER_GOODBYE } }],
    ['if the answer is to no turn of theirs', { reply: { turn: null } }],
    ['if no turn of theirs is known', { changes: () => ({ lastTurn: null }) }],
    [
      'if their words are in the transcript already',
      { changes: ({ userTurn }) => ({ userTurn: { ...userTurn, entry: { sequence: 3, startUs: 0 } } }) },
    ],
    [
      'if the item of their turn is gone',
      { changes: ({ history }) => ({ history: history.filter(({ type }) => type !== 'user') }) },
    ],
    [
      'if the words of their turn can no longer change',
      { changes: ({ userTurn }) => ({ userTurn: { ...userTurn, speech: NO_SPEECH } }) },
    ],
  ])('%s', (_case, situation) => {
    const { lastTurn, reply, history } = interrupted(situation).context;
    expect(reply).toBeNull();
    if (situation.changes === undefined) expect(lastTurn?.entry).toEqual(ENTRY);
    expect(history.some(({ type }) => type === 'agent')).toBe(true);
  });
});

describe('the answers that were cancelled unheard', () => {
  const count = (situation: Situation) => interrupted(situation).context.unheardAnswers;

  it('count those of which no packet left, fillers apart', () => {
    expect(count({ segment: { playout: null } })).toBe(1);
    expect(count({})).toBe(0);
    expect(count({ reply: { fillerSegments: [1] } })).toBe(1);
    expect(count({ reply: { segments: [] } })).toBe(1);
  });
});
