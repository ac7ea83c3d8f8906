import type { TurnRecord } from '../../../../engine/ports/turn-record.ts';
import type { JournalBatch } from '../../../../src/storage/calls/journal-repository.ts';
import type { Repositories } from '../../../../src/storage/repositories.ts';
import { newCall } from '../../storage/temporary-database.ts';

/** The call of the example of the document. Its engine began 200 ms before the answer. */
export const TIMELINE_CALL_ID = '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55';
const ANSWERED_MS = Date.UTC(2026, 2, 2, 9, 15, 1, 240);
const STARTED_MS = ANSWERED_MS - 200;

const at = (seconds: number) => Math.round((seconds + 0.2) * 1e6);
const said = { toolCallId: 'call_1', name: 'find_table' };

/** The user's turn of the example call: the model is slow, and a filler covers a tool. */
const TURN: TurnRecord = {
  turn: 2,
  startUs: at(4),
  user: {
    sequence: 2,
    endedBy: 'pause',
    score: 0.9,
    reasons: ['closing'],
    endedMs: 300,
    committedMs: 2_400,
    reopened: 0,
    amended: 0,
    corrected: false,
  },
  utterance: 2,
  askedMs: [250],
  firstTokenMs: 2_300,
  voiceRequestedMs: 5_800,
  firstAudioMs: 5_950,
  heardMs: 2_600,
  answerHeardMs: 6_000,
  fillersMs: [2_600],
  tools: [{ ...said, startedMs: 2_400, endedMs: 5_800 }],
  interrupted: false,
  falseInterruptions: 0,
  ducked: 0,
  echoWords: 0,
};
const SAMPLE = { packets: 247, lost: 3, jitterMs: 2.4, mos: 4.3 };

const ENTRIES: JournalBatch['entries'] = [
  { type: 'variable', name: 'customer', variableType: 'string', value: 'Ada', initial: true, atUs: 0 },
  { type: 'state', from: null, to: 'reception', atUs: at(0) },
  {
    type: 'transcript',
    entry: {
      role: 'agent',
      sequence: 1,
      startUs: at(0.3),
      endUs: at(1.9),
      content: 'Hello, how can',
      generatedContent: 'Hello, how can I help you?',
      interrupted: true,
    },
  },
  {
    type: 'transcript',
    entry: { role: 'user', sequence: 2, startUs: at(1.8), endUs: at(4), content: 'A table for four.' },
  },
  {
    type: 'transcript',
    entry: {
      ...said,
      role: 'tool_call',
      sequence: 3,
      startUs: at(6.4),
      endUs: null,
      content: '',
      toolType: 'custom_function',
      arguments: { guests: 4 },
    },
  },
  {
    type: 'transcript',
    entry: {
      ...said,
      role: 'tool_response',
      sequence: 4,
      startUs: at(9.8),
      endUs: at(9.8),
      content: '{"free":true}',
      successful: true,
      httpStatus: 200,
    },
  },
  { type: 'variable', name: 'party_size', variableType: 'integer', value: 4, atUs: at(9.8) },
  { type: 'turn', record: TURN, isClosed: true },
  { type: 'state', from: 'reception', to: 'booking', atUs: at(10) },
  {
    type: 'transcript',
    entry: {
      role: 'state_transition',
      sequence: 5,
      startUs: at(10),
      endUs: at(10),
      content: '',
      from: 'reception',
      to: 'booking',
      condition: 'A table is free.',
    },
  },
  { type: 'transcript', entry: { role: 'dtmf', sequence: 6, startUs: at(14), endUs: at(15), content: '1' } },
  { type: 'transfer', phase: 'started', destination: '+4930555000', mode: 'refer', atUs: at(16) },
  { type: 'transfer', phase: 'failed', destination: '+4930555000', mode: 'refer', reason: 'SIP 486', atUs: at(18) },
  {
    type: 'spans',
    part: 1,
    spans: [
      { type: 'answered', fromUs: at(0), toUs: at(0) },
      { type: 'agent_speech', fromUs: at(0.3), toUs: at(1.9) },
      { type: 'voice_activity', fromUs: at(1.8), toUs: at(4) },
      {
        type: 'provider_failure',
        kind: 'language_model',
        provider: 'openai',
        next: 'mistral',
        error: 'openai: HTTP 503',
        fromUs: at(4.9),
        toUs: at(4.9),
      },
      {
        type: 'model',
        outcome: 'answered',
        firstTokenUs: at(6.3),
        firstTextUs: at(6.4),
        error: null,
        fromUs: at(4.3),
        toUs: at(6.4),
      },
      { type: 'agent_speech', fromUs: at(6.6), toUs: at(7.4) },
      { type: 'tool', name: 'find_table', successful: true, fromUs: at(6.4), toUs: at(9.8) },
      { type: 'agent_speech', fromUs: at(10), toUs: at(12) },
      {
        type: 'network',
        inbound: SAMPLE,
        outbound: { ...SAMPLE, lost: null },
        roundTripMs: 38.5,
        fromUs: at(0),
        toUs: at(5),
      },
    ],
  },
];

/** Stores the example call. */
export async function storeTimelineCall(
  { calls, journal }: Pick<Repositories, 'calls' | 'journal'>,
  agentId: string,
): Promise<void> {
  await calls.createCall(newCall(agentId, { id: TIMELINE_CALL_ID, dynamicVariables: { customer: 'Ada' } }));
  await calls.setStatus(TIMELINE_CALL_ID, {
    to: 'in_progress',
    from: ['initiated'],
    atMs: ANSWERED_MS,
    patch: { startMs: ANSWERED_MS },
  });
  await journal.appendJournal(TIMELINE_CALL_ID, { entries: ENTRIES, startedWallMs: STARTED_MS });
}

export async function endTimelineCall({ calls }: Pick<Repositories, 'calls'>): Promise<void> {
  const end = { status: 'completed', endReason: 'caller_hangup', atMs: ANSWERED_MS + 20_000 } as const;
  await calls.finish(TIMELINE_CALL_ID, end);
}
