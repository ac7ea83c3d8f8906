import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CallOutcome, OutcomeEntry } from '../../../engine/tape/call-outcome.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import type { CallOptions } from '../../caller/caller.ts';
import { readSpeech } from '../../rtp-peer/speech-file.ts';

const outcomeSchema = z.custom<CallOutcome>(
  (value) => typeof value === 'object' && value !== null && 'transcript' in value && 'endReason' in value,
);

/** Outcome of a tape's call, read from its folder. */
export async function readOutcome(directory: string): Promise<CallOutcome> {
  return outcomeSchema.parse(JSON.parse(await readFile(join(directory, 'expected.json'), 'utf8')));
}

/** Call options that reproduce the tape's caller: audio, DTMF digits, and hang-up. */
export async function callerOf(directory: string, entries: readonly TapeEntry[]): Promise<Partial<CallOptions>> {
  const answeredUs = entries.find(({ event }) => event.type === 'control.answered')?.atUs ?? 0;
  const offsetMs = ({ atUs }: TapeEntry) => (atUs - answeredUs) / 1000;
  const hangUp = entries.find(({ event }) => event.type === 'control.ended' && event.cause === 'remote_bye');
  return {
    audio: await readSpeech(join(directory, 'caller.wav')),
    pace: 'peer',
    dtmf: entries.flatMap((entry) =>
      entry.event.type === 'media.dtmf' ? [{ atMs: offsetMs(entry), digits: entry.event.digit }] : [],
    ),
    hangUp: hangUp === undefined ? 'callee' : { afterMs: offsetMs(hangUp) },
    durationMsMax: 60_000,
  };
}

/** Renames the tape provider in a tape's files, so that each tape has another provider. */
export function renamed(text: string, name: string, functions: string): string {
  return text
    .replaceAll(/"provider":( ?)"tape"/g, `"provider":$1"tape-${name}"`)
    .replaceAll('http://127.0.0.1:4010', `${functions}/${name}`);
}

/** Differences between a call over the network and its tape. Times are not compared. */
export function outcomeFaults(expected: CallOutcome, played: CallOutcome): readonly string[] {
  const faults: string[] = [];
  const compare = (field: string, recorded: unknown, live: unknown) => {
    if (JSON.stringify(recorded) !== JSON.stringify(live)) {
      faults.push(`${field}: ${JSON.stringify(live)}, not ${JSON.stringify(recorded)}`);
    }
  };
  compare('end', expected.endReason, played.endReason);
  compare('answer', expected.answerType, played.answerType);
  compare('states', expected.states, played.states);
  compare('tools', expected.toolCalls, played.toolCalls);
  compare('variables', comparableVariables(expected), comparableVariables(played));
  const lines = (outcome: CallOutcome) => outcome.transcript.map(({ role }) => role);
  compare('lines', lines(expected), lines(played));
  if (faults.length > 0) return faults;
  return expected.transcript.flatMap((line, index) => lineFault(line, played.transcript[index]));
}

/** Variables that differ in each call. */
const CALL_SPECIFIC_VARIABLES = ['call_start_time', 'call_id', 'from_number', 'to_number'];

function comparableVariables({ variables }: CallOutcome): readonly (readonly [string, unknown])[] {
  return variables
    .filter(({ name }) => !CALL_SPECIFIC_VARIABLES.includes(name))
    .map(({ name, value }) => [name, value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The fault of one transcript line. An interrupted line may differ by one word at its end; all other lines must be equal.
 * Tool results are not compared here: the network decides why a transfer fails.
 */
function lineFault(expected: OutcomeEntry, played: OutcomeEntry | undefined): string[] {
  if (played === undefined) return [`«${expected.content}» was not said`];
  if (expected.role === 'tool_response') return [];
  const isInterrupted = [expected, played].some((line) => line.role === 'agent' && line.interrupted);
  if (!isInterrupted)
    return expected.content === played.content ? [] : [`«${played.content}», not «${expected.content}»`];
  const expectedWords = expected.content.split(' ');
  const playedWords = played.content.split(' ');
  const shorter = Math.min(expectedWords.length, playedWords.length);
  const isNear = Math.abs(expectedWords.length - playedWords.length) <= 1;
  const commonText = (words: readonly string[]) => words.slice(0, shorter).join(' ').replaceAll(/\W+$/g, '');
  return isNear && commonText(expectedWords) === commonText(playedWords)
    ? []
    : [`cut to «${played.content}», not to «${expected.content}»`];
}
