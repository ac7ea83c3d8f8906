import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { Reply, Segment } from '../../../engine/core/state/playout-slice.ts';
import type { AgentItem } from '../../../engine/core/state/transcript-slice.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import {
  truncateToPlayed,
  writeToolResult,
  writeTransfer,
  writeTransition,
} from '../../../engine/transcript/transcript.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const NOW_MS = 5_000;
/** 14 characters, which play for 1.4 s: 100 ms a character. */
const TEXT = 'One two three.';
const STARTED_US = 1_000_000;
const ENTRY = { sequence: 1, startUs: STARTED_US };

const segmentOf = (changes: Partial<Segment> = {}): Segment => ({
  number: 1,
  item: 1,
  text: TEXT,
  interruptible: true,
  requestedUs: 500_000,
  voiceStartedUs: 900_000,
  durationMs: 1_400,
  words: [],
  playout: { startedUs: STARTED_US, startMs: 0 },
  ended: false,
  ...changes,
});
const itemOf = (changes: Partial<AgentItem> = {}): AgentItem => ({
  type: 'agent',
  id: 1,
  text: TEXT,
  playedText: null,
  calls: [],
  entry: ENTRY,
  ...changes,
});
const journalEntries = (step: RuleStep) =>
  step.commands.flatMap((command) => (command.type === 'journal.write' ? [command.entry] : []));
const transcriptEntries = (step: RuleStep) =>
  journalEntries(step).flatMap((written) => (written.type === 'transcript' ? [written.entry] : []));

/** The transcript entries, and the played texts of the history, once these segments were truncated. */
function truncated(playedMs: number, segments: readonly Segment[], items: readonly AgentItem[] = [itemOf()]) {
  const step = ruleStep({ history: items }, NOW_MS);
  startReply(step, null);
  const { reply } = step.context;
  if (reply === null) throw new Error('the agent speaks');
  const dropped: Reply = { ...reply, segments };
  truncateToPlayed(step, dropped, playedMs);
  const playedTexts = step.context.history.map((item) => (item.type === 'agent' ? item.playedText : null));
  return { entries: transcriptEntries(step), playedTexts };
}

const WHOLE = { role: 'agent', ...ENTRY, content: TEXT, interrupted: false };
const TWO_WORDS = { ...WHOLE, content: 'One two', interrupted: true, generatedContent: TEXT };

describe('a truncated agent entry', () => {
  it('has the played words, and ends when its last audio left, although playback was paused before', () => {
    expect(truncated(750, [segmentOf()])).toStrictEqual({
      entries: [{ ...TWO_WORDS, endUs: STARTED_US + 750_000 }],
      playedTexts: ['One two'],
    });
  });

  it('ends now at the latest', () => {
    const playout = { startedUs: 4_500_000, startMs: 0 };
    expect(truncated(750, [segmentOf({ playout })]).entries).toStrictEqual([{ ...TWO_WORDS, endUs: NOW_MS * 1000 }]);
  });

  it('ends at the playback position while the length of its audio is unknown', () => {
    const { entries } = truncated(700, [segmentOf({ durationMs: null })]);
    expect(entries[0]?.endUs).toBe(STARTED_US + 700_000);
  });

  it('is not interrupted if all its words were played, and ends with its audio', () => {
    expect(truncated(2_000, [segmentOf()])).toStrictEqual({
      entries: [{ ...WHOLE, endUs: STARTED_US + 1_400_000 }],
      playedTexts: [TEXT],
    });
  });

  it('ends with its last segment that was on the wire', () => {
    const segments = [
      segmentOf({ ended: true }),
      segmentOf({ number: 2, text: 'Four five.', playout: null, durationMs: null }),
    ];
    const text = `${TEXT} Four five.`;
    expect(truncated(1_400, segments, [itemOf({ text })]).entries).toStrictEqual([
      { ...WHOLE, interrupted: true, generatedContent: text, endUs: STARTED_US + 1_400_000 },
    ]);
    const both = [
      segmentOf({ ended: true }),
      segmentOf({
        number: 2,
        text: 'Four five.',
        durationMs: 1_000,
        playout: { startedUs: 2_400_000, startMs: 1_400 },
      }),
    ];
    expect(truncated(2_400, both, [itemOf({ text })]).entries).toStrictEqual([
      { ...WHOLE, content: text, endUs: 3_400_000 },
    ]);
  });

  it('is not written again after its end, or if nothing has changed', () => {
    expect(truncated(2_000, [segmentOf({ ended: true })])).toEqual({ entries: [], playedTexts: [null] });
    expect(truncated(750, [segmentOf()], [itemOf({ playedText: 'One two' })]).entries).toEqual([]);
  });

  it('does not exist for words that were never on the wire, or that the history no longer holds', () => {
    const unplayed = [segmentOf({ playout: null })];
    expect(truncated(0, unplayed, [itemOf({ entry: null })])).toEqual({ entries: [], playedTexts: [''] });
    expect(truncated(750, [segmentOf()], [])).toEqual({ entries: [], playedTexts: [] });
  });

  it('has only the words of its history item', () => {
    const segments = [
      segmentOf({ ended: true }),
      segmentOf({ number: 2, item: 2, playout: { startedUs: 2_400_000, startMs: 1_400 } }),
    ];
    const items = [itemOf(), itemOf({ id: 2, entry: { sequence: 2, startUs: 2_400_000 } })];
    expect(truncated(1_400 + 750, segments, items)).toStrictEqual({
      entries: [{ ...TWO_WORDS, sequence: 2, startUs: 2_400_000, endUs: 2_400_000 + 750_000 }],
      playedTexts: [null, 'One two'],
    });
  });
});

describe('transcript and journal entries', () => {
  it('are numbered in the order in which they were opened', () => {
    const step = ruleStep({}, NOW_MS);
    writeTransition(step, 'start', 'booking', 'The caller wants a table.');
    writeToolResult(step, { id: 'call_1', name: 'lookup' }, { successful: true, content: '{}' });
    writeTransition(step, 'booking', 'end', 'The table is booked.');
    expect(transcriptEntries(step).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it('have no field for an HTTP status or a reason that does not exist', () => {
    const step = ruleStep({}, NOW_MS);
    writeToolResult(step, { id: 'call_1', name: 'lookup' }, { successful: true, content: '{}' });
    const request = { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 30_000 } as const;
    writeTransfer(step, request, 'started');
    const atUs = NOW_MS * 1000;
    expect(transcriptEntries(step)).toStrictEqual([
      {
        role: 'tool_response',
        sequence: 1,
        startUs: atUs,
        endUs: atUs,
        content: '{}',
        toolCallId: 'call_1',
        name: 'lookup',
        successful: true,
      },
    ]);
    expect(journalEntries(step).at(-1)).toStrictEqual({
      type: 'transfer',
      phase: 'started',
      destination: '+4930111111',
      mode: 'refer',
      atUs,
    });
  });
});
