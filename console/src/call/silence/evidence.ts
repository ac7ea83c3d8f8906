import { shortTime } from '../../format/time.ts';
import type { SilenceCause } from '../../generated/client.ts';
import type { Messages } from '../../i18n/en.ts';
import { reasonName } from './reason-name.ts';

type Texts = Messages['evidence'];
type Evidence = SilenceCause['evidence'];

/** The first sentence came with the first token. */
const SAME_MOMENT_MS = 50;

/** The evidence of a cause: how long what was waited for took in all, which may be longer than its part of the silence. */
export function evidenceText(
  { evidence, type }: Pick<SilenceCause, 'evidence' | 'type'>,
  text: Texts,
  language: string,
): string {
  return [
    ...requestParts(evidence, text, language),
    ...timeParts(type, evidence, text, language),
    ...providerParts(evidence, text),
    ...(evidence.has_filler === true ? [text.filler] : []),
    ...(type === 'tool' && evidence.has_filler === false ? [text.noFiller] : []),
  ].join(', ');
}

function requestParts(evidence: Evidence, text: Texts, language: string): readonly string[] {
  const token = numberOf(evidence.first_token_ms);
  const sentence = numberOf(evidence.first_text_ms);
  const requests = numberOf(evidence.requests);
  const isLater = sentence !== null && sentence - (token ?? 0) >= SAME_MOMENT_MS;
  return [
    ...(requests !== null && requests > 1 ? [text.requests(requests)] : []),
    ...(token === null ? [] : [text.firstToken(shortTime(token, language))]),
    ...(isLater ? [text.firstText(shortTime(sentence, language))] : []),
  ];
}

function timeParts(type: string, evidence: Evidence, text: Texts, language: string): readonly string[] {
  const late = type === 'transcriber_late' ? text.late : type === 'speech_end_late' ? text.foundLate : text.overdue;
  const { name, reasons } = evidence;
  const timed = (value: unknown, textOf: (time: string) => string) => {
    const ms = numberOf(value);
    return ms === null ? [] : [textOf(shortTime(ms, language))];
  };
  return [
    ...timed(evidence.late_ms, late),
    ...timed(evidence.speech_ms, text.sound),
    ...timed(evidence.waited_ms, text.waited),
    ...timed(evidence.paused_ms, text.paused),
    ...timed(evidence.first_audio_ms, text.firstAudio),
    ...timed(evidence.ran_ms, (time) => text.ran(typeof name === 'string' ? name : '', time)),
    ...(Array.isArray(reasons) ? reasons.slice(0, 1).map((reason) => reasonName(String(reason), text.reasons)) : []),
  ];
}

function providerParts(evidence: Evidence, text: Texts): readonly string[] {
  const { asked_again: askedAgain, error, next } = evidence;
  const failures = numberOf(evidence.failures);
  const lost = numberOf(evidence.lost_share);
  return [
    ...(failures === null || failures === 0 ? [] : [text.failures(failures)]),
    ...(typeof error === 'string' && error !== '' ? [error] : []),
    ...(typeof next === 'string' ? [text.next(next)] : retryPart(askedAgain, text)),
    ...(lost === null ? [] : [text.lost(Math.round(100 * lost))]),
  ];
}

function retryPart(askedAgain: unknown, text: Texts): readonly string[] {
  if (typeof askedAgain !== 'boolean') return [];
  return [askedAgain ? text.askedAgain : text.notAskedAgain];
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
