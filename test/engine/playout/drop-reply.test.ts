import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Interruption } from '../../../engine/core/state/interruption-slice.ts';
import type { FollowUp, Segment, SegmentPlayout } from '../../../engine/core/state/playout-slice.ts';
import { queueDtmf } from '../../../engine/dtmf/send-dtmf.ts';
import { dropRemainingSpeech, dropReply, refineTruncation } from '../../../engine/playout/drop-reply.ts';
import { playbackPositionMs } from '../../../engine/playout/playback-position.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import { addAgentItem, agentItem, changeAgentItem } from '../../../engine/transcript/history.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

/** 40 characters, which play for 4 s: 100 ms a character. */
const TEXT = 'Monday, or perhaps Tuesday morning, then';
const PLAYOUT: SegmentPlayout = { startedUs: 10_000_000, startMs: 0 };
const TENTATIVE: Interruption = {
  status: 'tentative',
  startedUs: 0,
  stoppedUs: null,
  lastedUntilUs: null,
  wordsBefore: 0,
  pausedUntilUs: null,
  playedMs: null,
};

/** The agent speaks `TEXT`. Its first sample was sent at 10 s, and the step happens at `atMs`. */
function agentSpeaking(
  atMs: number,
  segmentChanges: Partial<Segment> = {},
  contextChanges: Partial<CallContext> = {},
): RuleStep {
  const step = ruleStep({}, atMs);
  startReply(step, null);
  const item = addAgentItem(step);
  changeAgentItem(step, item, { text: TEXT, entry: { sequence: 7, startUs: 10_000_000 } });
  const segment: Segment = {
    number: 3,
    item,
    text: TEXT,
    interruptible: true,
    requestedUs: 9_000_000,
    voiceStartedUs: 9_500_000,
    durationMs: 4_000,
    words: [],
    playout: PLAYOUT,
    ended: false,
    ...segmentChanges,
  };
  changeReply(step, { segments: [segment] });
  step.change(contextChanges);
  return step;
}

function withFollowUp(step: RuleStep, followUp: FollowUp): RuleStep {
  changeReply(step, { followUp });
  return step;
}

/** The issued commands for voice and playout, without journal entries and stopped timers. */
function speechCommands(step: RuleStep): readonly unknown[] {
  return issuedCommands(step).filter(({ type }) => type !== 'journal.write' && type !== 'timer.stop');
}

function journalEntries(step: RuleStep): readonly JournalEntry[] {
  return issuedCommands(step).flatMap((command) => (command.type === 'journal.write' ? [command.entry] : []));
}

function lastTranscriptText(step: RuleStep): string | undefined {
  const texts = issuedCommands(step).flatMap((command) =>
    command.type === 'journal.write' && command.entry.type === 'transcript' ? [command.entry.entry.content] : [],
  );
  return texts.at(-1);
}

const CANCEL = { type: 'voice.cancel', from: 3 };
const CLEAR = { type: 'playout.clear', utterance: 1 };
const RESUME = { type: 'playout.resume' };

describe('dropping a reply', () => {
  it('cancels the voice, clears the playout and truncates the transcript to the played text', () => {
    const step = agentSpeaking(11_800);
    dropReply(step, 'user');
    expect(speechCommands(step)).toEqual([CANCEL, CLEAR]);
    expect(issuedCommands(step)).toContainEqual({ type: 'timer.stop', timer: 'playout' });
    expect(lastTranscriptText(step)).toBe('Monday, or perhaps');
    expect(step.context).toMatchObject({
      reply: null,
      interruption: null,
      pendingResponse: true,
      lastDroppedReply: { number: 1 },
    });
    expect(step.context.history).toMatchObject([{ playedText: 'Monday, or perhaps' }]);
    expect(step.context.lastPlayedSegments).toMatchObject([{ number: 3 }]);
  });

  it('changes nothing when the reply has been played whole or has no segment yet', () => {
    const playedWhole = agentSpeaking(15_000, { ended: true });
    dropReply(playedWhole, 'user');
    expect(speechCommands(playedWhole)).toEqual([]);
    expect(journalEntries(playedWhole)).toEqual([]);
    const empty = ruleStep();
    startReply(empty, null);
    dropReply(empty, 'user');
    expect(speechCommands(empty)).toEqual([]);
    expect(empty.context.lastPlayedSegments).toEqual([]);
  });

  it('resumes playback only if the interruption has paused it', () => {
    const commandsAfterDrop = (interruption: Interruption | null) => {
      const step = agentSpeaking(11_800, {}, { interruption });
      dropReply(step, 'failure');
      return speechCommands(step);
    };
    expect(commandsAfterDrop(TENTATIVE)).toEqual([CANCEL, CLEAR, RESUME]);
    expect(commandsAfterDrop({ ...TENTATIVE, status: 'confirmed' })).toEqual([CANCEL, CLEAR, RESUME]);
    expect(commandsAfterDrop({ ...TENTATIVE, status: 'rejected' })).toEqual([CANCEL, CLEAR, RESUME]);
    expect(commandsAfterDrop({ ...TENTATIVE, status: 'resumed' })).toEqual([CANCEL, CLEAR]);
  });

  it('drops the DTMF digits that were queued after it, and reports that to the model', () => {
    const step = agentSpeaking(11_800);
    queueDtmf(step, 0, { id: 'call_1', name: 'send_dtmf' }, '12');
    dropReply(step, 'user');
    const content = 'Not done: the caller spoke before the keys were pressed.';
    expect(step.context).toMatchObject({ outgoingDtmf: [], runningTools: [] });
    expect(step.context.history.at(-1)).toMatchObject({ type: 'result', toolCallId: 'call_1', content });
  });

  it('truncates the transcript also if the reply itself goes on to its end', () => {
    const step = agentSpeaking(11_200);
    dropRemainingSpeech(step);
    expect(agentItem(step.context, 1)?.playedText).toBe('Monday, or');
    expect(step.context.reply?.segments).toEqual([]);
  });
});

describe('the follow-up of a dropped reply', () => {
  const END_CALL: FollowUp = {
    type: 'end',
    reason: 'agent_hangup',
    result: { call: { id: 'call_1', name: 'bye' }, sequence: 4, startUs: 11_000_000 },
  };
  const transferRequest = { destination: '+33123456789', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;

  function withResult(step: RuleStep): RuleStep {
    step.change({
      history: [...step.context.history, { type: 'result', id: 9, toolCallId: 'call_1', content: 'Done.' }],
    });
    return step;
  }
  const resultContents = (step: RuleStep) =>
    step.context.history.flatMap((item) => (item.type === 'result' ? [item.content] : []));

  it('does not end the call, and the tool result states it', () => {
    const step = withResult(withFollowUp(agentSpeaking(11_800), END_CALL));
    dropReply(step, 'dtmf');
    expect(resultContents(step)).toEqual([
      'Not done: the caller pressed keys before the goodbye was over: the call goes on.',
    ]);
  });

  it('leaves the tool result unchanged when the call has ended, or when there is no follow-up', () => {
    const ended = withResult(withFollowUp(agentSpeaking(11_800), END_CALL));
    dropReply(ended, 'end');
    expect(resultContents(ended)).toEqual(['Done.']);
    const listening = withResult(agentSpeaking(11_800));
    dropReply(listening, 'dtmf');
    expect(resultContents(listening)).toEqual(['Done.']);
  });

  it.each([
    [false, []],
    [true, ['failed']],
  ])('does not transfer the call; a transfer that had started (%s) is reported as failed', (wasStarted, phases) => {
    const step = withFollowUp(agentSpeaking(11_800), {
      type: 'transfer',
      toolCallId: 'call_1',
      name: 'transfer',
      request: transferRequest,
      started: wasStarted,
    });
    dropReply(step, 'user');
    const content = 'Not done: the caller spoke before it was.';
    expect(resultContents(step)).toEqual([content]);
    expect(journalEntries(step)).toContainEqual(
      expect.objectContaining({
        entry: expect.objectContaining({ role: 'tool_response', successful: false, content }),
      }),
    );
    const transferEntries = journalEntries(step).filter(({ type }) => type === 'transfer');
    expect(transferEntries).toEqual(
      phases.map((phase) => expect.objectContaining({ phase, reason: 'the caller spoke' })),
    );
  });
});

describe('the played duration of a reply', () => {
  const playedMsAt = (atMs: number, segment: Partial<Segment>, contextChanges: Partial<CallContext> = {}) =>
    playbackPositionMs(agentSpeaking(atMs, segment, contextChanges).context, atMs * 1000);

  it('is the time played before the segment plus the time since its start, at most its length', () => {
    expect(playedMsAt(11_800, { playout: { startedUs: 10_000_000, startMs: 500 } })).toBe(2_300);
    expect(playedMsAt(14_000, {})).toBe(4_000);
    expect(playedMsAt(19_000, {})).toBe(4_000);
    expect(playedMsAt(19_000, { durationMs: null })).toBe(9_000);
    expect(playedMsAt(9_000, {})).toBe(0);
  });

  it('is zero before the first sample and without a reply', () => {
    expect(playedMsAt(11_800, { playout: null })).toBe(0);
    expect(playbackPositionMs(ruleStep().context, 5_000_000)).toBe(0);
  });

  it('stops on hold, and is the reported position while playback is paused', () => {
    expect(playedMsAt(19_000, {}, { haltedSinceUs: 11_000_000 })).toBe(1_000);
    expect(playedMsAt(19_000, {}, { interruption: { ...TENTATIVE, playedMs: 1_234 } })).toBe(1_234);
    expect(playedMsAt(11_800, {}, { interruption: TENTATIVE })).toBe(1_800);
    expect(playedMsAt(11_800, {}, { interruption: { ...TENTATIVE, status: 'resumed', playedMs: 1_234 } })).toBe(1_800);
  });
});

describe('the exact playback position of a dropped reply', () => {
  function refineAfterDrop(event: CallEvent): RuleStep {
    const dropped = agentSpeaking(11_800);
    dropReply(dropped, 'user');
    const step = ruleStep(dropped.context, 12_000, event);
    refineTruncation(step);
    return step;
  }
  const cleared = (utterance: number, playedMs: number): CallEvent => ({ type: 'media.cleared', utterance, playedMs });

  it('truncates the text once more, and only once', () => {
    const step = refineAfterDrop(cleared(1, 900));
    expect(lastTranscriptText(step)).toBe('Monday,');
    expect(journalEntries(step)).toMatchObject([{ entry: { interrupted: true, generatedContent: TEXT } }]);
    expect(step.context.history).toMatchObject([{ playedText: 'Monday,' }]);
    expect(step.context.lastDroppedReply).toBeNull();
  });

  it('changes nothing when the text stays equal, or for another utterance or another event', () => {
    expect(issuedCommands(refineAfterDrop(cleared(1, 1_850)))).toEqual([]);
    const other = refineAfterDrop(cleared(2, 900));
    expect(issuedCommands(other)).toEqual([]);
    expect(other.context.lastDroppedReply).not.toBeNull();
    expect(issuedCommands(refineAfterDrop({ type: 'call.offered' }))).toEqual([]);
  });
});
