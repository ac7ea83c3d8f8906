import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unansweredBars, type WaterfallBar, waterfallOf } from '../../console/src/call/waterfall.ts';
import type { TurnRecord, UserTurnRecord } from '../../engine/ports/turn-record.ts';
import { turnAnswer } from '../../src/api/calls/turn-answer.ts';

const SPEECH_END_MS = Date.parse('2026-11-23T10:00:00.000Z');
const TOOL = { toolCallId: 'call_1', name: 'find_table' };

const USER: UserTurnRecord = {
  sequence: 1,
  endedBy: 'pause',
  score: 1,
  reasons: ['sentence_mark'],
  endedMs: 300,
  committedMs: 300,
  reopened: 0,
  amended: 0,
  corrected: false,
};

/** A turn as the API has it. Times since the end of the user's speech. */
function turnOf(changed: Partial<TurnRecord>) {
  return turnAnswer({
    turn: 1,
    startUs: SPEECH_END_MS * 1_000,
    user: USER,
    utterance: 1,
    askedMs: [],
    firstTokenMs: null,
    voiceRequestedMs: null,
    firstAudioMs: null,
    heardMs: null,
    answerHeardMs: null,
    fillersMs: [],
    tools: [],
    interrupted: false,
    falseInterruptions: 0,
    ducked: 0,
    echoWords: 0,
    ...changed,
  });
}

/** A turn whose first audio packet is that of its answer. */
function answered(heardMs: number, changed: Partial<TurnRecord>) {
  return turnOf({ heardMs, answerHeardMs: heardMs, ...changed });
}

function lengthsOf(bars: readonly WaterfallBar[]) {
  return Object.fromEntries(bars.map(({ lengthMs, stage }) => [stage, lengthMs]));
}

describe('the waterfall of a response', () => {
  it('gives each stage of a turn with a tool and two requests its own time', () => {
    const ms = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(
        fc.record({ endpointing: ms, queued: ms, first: ms, tool: ms, second: ms, voice: ms, sent: ms }),
        ({ endpointing, first, queued, second, sent, tool, voice }) => {
          const askedMs = endpointing + queued;
          const startedMs = askedMs + first;
          const endedMs = startedMs + tool;
          const voiceRequestedMs = endedMs + second;
          const firstAudioMs = voiceRequestedMs + voice;
          const turn = answered(firstAudioMs + sent, {
            user: { ...USER, endedMs: endpointing },
            askedMs: [askedMs, endedMs],
            firstTokenMs: askedMs + Math.floor(first / 2),
            tools: [{ ...TOOL, startedMs, endedMs }],
            voiceRequestedMs,
            firstAudioMs,
          });
          const bars = waterfallOf(turn);
          expect(lengthsOf(bars)).toEqual({
            endpointing,
            model: first + second,
            tool,
            voice,
            service: queued + sent,
          });
          const ends = bars.map(({ fromMs, lengthMs }) => fromMs + lengthMs);
          expect(bars.map(({ fromMs }) => fromMs)).toEqual([0, ...ends.slice(0, -1)]);
          expect(ends.at(-1)).toBe(turn.response_ms);
        },
      ),
    );
  });

  it('counts tools that run at the same time once', () => {
    const turn = answered(2_200, {
      askedMs: [300, 1_800],
      firstTokenMs: 700,
      tools: [
        { ...TOOL, startedMs: 800, endedMs: 1_600 },
        { ...TOOL, startedMs: 1_000, endedMs: 1_800 },
        { ...TOOL, startedMs: 1_100, endedMs: 1_200 },
      ],
      voiceRequestedMs: 2_000,
      firstAudioMs: 2_150,
    });
    expect(lengthsOf(waterfallOf(turn))).toEqual({
      endpointing: 300,
      model: 700,
      tool: 1_000,
      voice: 150,
      service: 50,
    });
  });

  it('ends with the first packet of a filler', () => {
    const turn = turnOf({
      askedMs: [300, 4_500],
      firstTokenMs: 700,
      tools: [{ ...TOOL, startedMs: 800, endedMs: 4_500 }],
      fillersMs: [2_300],
      heardMs: 2_300,
      voiceRequestedMs: 4_900,
      firstAudioMs: 5_100,
      answerHeardMs: 5_200,
    });
    expect(lengthsOf(waterfallOf(turn))).toEqual({ endpointing: 300, model: 500, tool: 1_500 });
  });

  it('books nothing to a model that was not asked', () => {
    const turn = answered(500, { voiceRequestedMs: 350, firstAudioMs: 450 });
    expect(lengthsOf(waterfallOf(turn))).toEqual({ endpointing: 300, voice: 100, service: 100 });
  });

  it('counts only the time after the end of the turn of a clause that the voice had ahead', () => {
    const turn = answered(400, { askedMs: [100], firstTokenMs: 180, voiceRequestedMs: 200, firstAudioMs: 350 });
    expect(lengthsOf(waterfallOf(turn))).toEqual({ endpointing: 300, voice: 50, service: 50 });
  });

  it('shows the wait of a turn that the end of the call left without a response', () => {
    const callEndMs = SPEECH_END_MS + 2_000;
    const unanswered = turnOf({ askedMs: [300] });
    expect(waterfallOf(unanswered)).toEqual([]);
    expect(unansweredBars(unanswered, callEndMs)).toEqual([
      { stage: 'endpointing', fromMs: 0, lengthMs: 300 },
      { stage: 'model', fromMs: 300, lengthMs: 1_700 },
    ]);
    const withTool = turnOf({ askedMs: [300], tools: [{ ...TOOL, startedMs: 800, endedMs: null }] });
    expect(lengthsOf(unansweredBars(withTool, callEndMs))).toEqual({ endpointing: 300, model: 500, tool: 1_200 });
    expect(unansweredBars(turnOf({ user: null }), callEndMs)).toEqual([]);
    expect(unansweredBars(answered(700, {}), callEndMs)).toEqual([]);
  });
});
