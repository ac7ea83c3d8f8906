import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { JournalBatch } from '../../../src/storage/calls/journal-repository.ts';
import type { TestService } from '../../service/rig/test-service.ts';
import { storeCall } from './stored-call.ts';

/** In each turn the user speaks, a tool is called and returns, and the agent speaks. */
export const TURNS = 100;
export const ENTRIES = 4 * TURNS;
const TURN_S = 18;
const TURN_US = TURN_S * 1_000_000;
const CALL_S = TURNS * TURN_S;
const ANSWER = 'There are two tables left on that evening, one at the window and one in the garden.';

function toolOf(turn: number) {
  return { toolCallId: `call_${turn}`, name: 'find_table' };
}

/** A turn whose user speech ended at `startUs`. */
function turnRecord(turn: number, startUs: number): TurnRecord {
  return {
    turn,
    startUs,
    user: {
      sequence: 4 * (turn - 1) + 1,
      endedBy: 'pause',
      score: 0.9,
      reasons: ['closing'],
      endedMs: 300,
      committedMs: 900,
      reopened: 0,
      amended: 0,
      corrected: false,
    },
    utterance: turn,
    askedMs: [250, 1_600],
    firstTokenMs: 700,
    voiceRequestedMs: 1_700,
    firstAudioMs: 1_900,
    heardMs: 2_000,
    answerHeardMs: 2_000,
    fillersMs: [],
    tools: [{ ...toolOf(turn), startedMs: 800, endedMs: 1_600 }],
    interrupted: false,
    falseInterruptions: 0,
    ducked: 0,
    echoWords: 0,
  };
}

/** The entries of one turn, which begins at `atUs`. */
function turnEntries(turn: number): JournalBatch['entries'] {
  const atUs = (turn - 1) * TURN_US;
  const sequence = 4 * (turn - 1);
  const tool = toolOf(turn);
  const at = (seconds: number) => atUs + seconds * 1_000_000;
  const content = `Question ${turn}: is there a table for four on one of the next evenings?`;
  return [
    {
      type: 'transcript',
      entry: { role: 'user', sequence: sequence + 1, startUs: at(1), endUs: at(6), content },
    },
    {
      type: 'transcript',
      entry: {
        ...tool,
        role: 'tool_call',
        sequence: sequence + 2,
        startUs: at(7),
        endUs: null,
        content: '',
        toolType: 'custom_function',
        arguments: { guests: 4, turn },
      },
    },
    {
      type: 'transcript',
      entry: {
        ...tool,
        role: 'tool_response',
        sequence: sequence + 3,
        startUs: at(7.6),
        endUs: at(7.6),
        content: '{"free":true}',
        successful: true,
        httpStatus: 200,
      },
    },
    {
      type: 'transcript',
      entry: {
        role: 'agent',
        sequence: sequence + 4,
        startUs: at(8),
        endUs: at(15),
        content: `Answer ${turn}. ${ANSWER}`,
        interrupted: false,
      },
    },
    { type: 'turn', record: turnRecord(turn, at(6)), isClosed: true },
    {
      type: 'spans',
      part: turn,
      spans: [
        ...(turn === 1 ? [{ type: 'answered' as const, fromUs: 0, toUs: 0 }] : []),
        { type: 'voice_activity', fromUs: at(1), toUs: at(6) },
        { type: 'tool', name: tool.name, successful: true, fromUs: at(7), toUs: at(7.6) },
        { type: 'agent_speech', fromUs: at(8), toUs: at(15) },
      ],
    },
  ];
}

/** Stores a call of half an hour, with a recording of 58 MB. @returns its id */
export function storeLongCall(test: Pick<TestService, 'dataDir' | 'service'>, agentId: string): Promise<string> {
  const batches = Array.from({ length: TURNS }, (_, index) => turnEntries(index + 1));
  return storeCall(test, { agentId, batches, lengthS: CALL_S, recordedS: CALL_S });
}
