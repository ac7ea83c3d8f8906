import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { TypedEntry } from '../core/state/dtmf-slice.ts';
import type { UserTurn } from '../core/state/turn-detection-slice.ts';
import { userTurnHasWords } from '../turn-detection/commit-turn.ts';
import { SHORT_SOUND_MS } from '../turn-detection/endpoint-delay.ts';

/** Maximum length of an entry if the agent sets none. */
const DIGITS_MAX = 64;
/** Entries that wait for the end of an uninterruptible reply; beyond this the oldest is dropped. */
const ENTRIES_MAX = 10;

/** Digits form one entry until the terminator, a pause, or the maximum number of digits. */
export function onDtmfDigit(step: RuleStep): void {
  const { event } = step;
  if (event.type !== 'media.dtmf') return;
  const { dtmf } = step.context.agent;
  const ends = event.digit === dtmf.terminator;
  if (!ends) addDigit(step, event.digit);
  const length = step.context.dtmf.openEntry?.digits.length ?? 0;
  if (ends || length >= (dtmf.max_digits ?? DIGITS_MAX)) closeDtmfEntry(step);
  else step.startTimer('dtmf_entry', dtmf.pause * 1000);
}

function addDigit(step: RuleStep, digit: string): void {
  const { dtmf, userTurn } = step.context;
  const { activityEndedUs } = userTurn;
  const { digits, ...begun } = dtmf.openEntry ?? { digits: '', startUs: step.nowUs, activityEndedUs };
  const openEntry = { ...begun, type: 'digits' as const, digits: digits + digit, endUs: step.nowUs };
  step.change({ dtmf: { ...dtmf, openEntry } });
}

/** The entry ends: at the terminator, at the maximum number of digits, or at a pause. */
export function closeDtmfEntry(step: RuleStep): void {
  const { openEntry } = step.context.dtmf;
  if (openEntry === null) return;
  step.stopTimer('dtmf_entry');
  addEntry(step, openEntry);
}

/** A typed text is an entry as it arrives. It closes the digits before it. */
export function onTypedText(step: RuleStep): void {
  const { event, nowUs } = step;
  if (event.type !== 'media.typed_text') return;
  closeDtmfEntry(step);
  const { activityEndedUs } = step.context.userTurn;
  addEntry(step, { type: 'text', text: event.text, startUs: nowUs, endUs: nowUs, activityEndedUs });
}

function addEntry(step: RuleStep, entry: TypedEntry): void {
  step.change({ dtmf: { openEntry: null, entries: [...step.context.dtmf.entries, entry].slice(-ENTRIES_MAX) } });
}

/** Entries without words are answered as a turn. With words they are part of the turn that ends with the words. */
export function isTypedEntryPending(context: CallContext): boolean {
  return context.dtmf.entries.length > 0 && !userTurnHasWords(context) && !areWordsPending(context);
}

/**
 * The user spoke before the entry, and the words have not arrived: both are one turn. Speech that turns out to have no
 * words ends as noise, and the entry is answered then. A cough before it and the tones of its digits are no speech.
 * Without a transcriber no words come.
 */
function areWordsPending({ dtmf, failover, userTurn }: CallContext): boolean {
  const [entry] = dtmf.entries;
  const isTranscribed = failover.transcriber.gap === null;
  return entry !== undefined && isTranscribed && soundBeforeUs(entry, userTurn) >= SHORT_SOUND_MS * 1000;
}

/** How long the user made sounds before the entry. A sound that began before it and goes on is noise. */
function soundBeforeUs(entry: TypedEntry, userTurn: UserTurn): number {
  const { activityEndedUs, activityStartedUs, speaking, startedUs } = userTurn;
  if (startedUs === null) return 0;
  const earlierUs = entry.activityEndedUs === null ? 0 : entry.activityEndedUs - startedUs;
  if (speaking || activityStartedUs === null) return earlierUs;
  const endedUs = Math.min(activityEndedUs ?? entry.startUs, entry.startUs);
  return Math.max(earlierUs, endedUs - activityStartedUs);
}
