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
    maxDurationMs: 60_000,
  };
}

/** Replaces the service's single tape provider by this tape's, in names only. */
export function renamed(text: string, name: string, functions: string): string {
  return text
    .replaceAll(/"provider":( ?)"tape"/g, `"provider":$1"tape-${name}"`)
    .replaceAll('http://127.0.0.1:4010', `${functions}/${name}`);
}

/** Differences between a call over the network and its tape, times apart. */
export function outcomeFaults(expected: CallOutcome, played: CallOutcome): readonly string[] {
  const faults: string[] = [];
  const same = (what: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) !== JSON.stringify(other)) {
      faults.push(`${what}: ${JSON.stringify(other)}, not ${JSON.stringify(one)}`);
    }
  };
  same('end', expected.endReason, played.endReason);
  same('answer', expected.answerType, played.answerType);
  same('states', expected.states, played.states);
  same('tools', expected.toolCalls, played.toolCalls);
  same('variables', lasting(expected), lasting(played));
  const lines = (outcome: CallOutcome) => outcome.transcript.map(({ role }) => role);
  same('lines', lines(expected), lines(played));
  if (faults.length > 0) return faults;
  return expected.transcript.flatMap((line, index) => lineFault(line, played.transcript[index]));
}

/** Values that differ in each call. */
const OWN_TO_EACH_CALL = ['call_start_time', 'call_id', 'from_number', 'to_number'];

function lasting({ variables }: CallOutcome): readonly (readonly [string, unknown])[] {
  return variables
    .filter(({ name }) => !OWN_TO_EACH_CALL.includes(name))
    .map(({ name, value }) => [name, value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * An interrupted line may be one word longer or shorter, and complete if only its last word was missing. All others are
 * equal. Tool results are compared by success: the network decides why a transfer fails.
 */
function lineFault(expected: OutcomeEntry, played: OutcomeEntry | undefined): string[] {
  if (played === undefined) return [`«${expected.content}» was not said`];
  if (expected.role === 'tool_response') return [];
  const isCut = [expected, played].some((one) => one.role === 'agent' && one.interrupted);
  if (!isCut) return expected.content === played.content ? [] : [`«${played.content}», not «${expected.content}»`];
  const [one, other] = [expected.content.split(' '), played.content.split(' ')];
  const shorter = Math.min(one.length, other.length);
  const isNear = Math.abs(one.length - other.length) <= 1;
  const bare = (words: readonly string[]) => words.slice(0, shorter).join(' ').replaceAll(/\W+$/g, '');
  return isNear && bare(one) === bare(other) ? [] : [`cut to «${played.content}», not to «${expected.content}»`];
}
