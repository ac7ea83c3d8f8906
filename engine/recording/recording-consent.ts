import type { RuleStep } from '../core/rule-step.ts';
import { refusesRecording } from '../languages/recording-refusal.ts';
import { userTurnLanguage, userTurnWords } from '../transcript/user-turn-text.ts';

const REFUSED_NOTE =
  'The caller has just refused the recording of the call. It is deleted, and nothing is recorded any more. Confirm this in one sentence.';
const ENDING_NOTE = 'The call ends after your next answer: say goodbye in it.';

/** The announcement is part of the agent's reply; `lastSegment`: its last segment. */
export function askForConsent(step: RuleStep, lastSegment: number): void {
  if (step.context.consent.answer === 'not_asked')
    step.change({ consent: { answer: 'not_asked', announcedBy: lastSegment, isHeard: false } });
}

/** A segment of the agent was played to its end. */
export function onAnnouncementPlayed(step: RuleStep): void {
  const { consent } = step.context;
  if (step.event.type !== 'media.segment_ended' || step.event.segment !== consent.announcedBy) return;
  step.change({ consent: { ...consent, isHeard: true } });
}

/**
 * The end of a user turn is certain. A mere «no» refuses as the first answer to the announcement; words that name the recording refuse it at any
 * time. Any other answer to the announcement gives the consent.
 */
export function judgeSpokenConsent(step: RuleStep): void {
  const { agent, consent, userTurn } = step.context;
  if (agent.recording_consent === undefined || consent.answer === 'refused') return;
  const words = userTurnWords(userTurn);
  const isAnswer = consent.answer === 'not_asked' && consent.announcedBy !== null;
  const languages = new Set([userTurnLanguage(step.context), agent.language]);
  const isSpoken = agent.recording_consent.spoken_refusal;
  if (isSpoken && [...languages].some((language) => refusesRecording(words, language, isAnswer))) refuse(step);
  else if (words.length > 0) giveConsent(step);
}

/** The digit refuses from the announcement on, until the user has answered it. */
export function judgeTypedConsent(step: RuleStep): void {
  const { agent, consent } = step.context;
  if (step.event.type !== 'media.dtmf' || consent.answer !== 'not_asked' || consent.announcedBy === null) return;
  if (step.event.digit === agent.recording_consent?.refusal_digit) refuse(step);
  else giveConsent(step);
}

/** The user has not refused: at their first answer, or at the end of the call. They must have heard the announcement. */
export function giveConsent(step: RuleStep): void {
  const { consent } = step.context;
  if (consent.answer !== 'not_asked' || !consent.isHeard) return;
  step.change({ consent: { ...consent, answer: 'given' } });
  step.command({ type: 'journal.write', entry: { type: 'consent', consent: 'given', atUs: step.nowUs } });
}

function refuse(step: RuleStep): void {
  const { agent, consent, decidedEnd, notes } = step.context;
  const endsCall = agent.recording_consent?.on_refusal === 'hang_up';
  step.change({
    consent: { ...consent, answer: 'refused' },
    notes: [...notes, endsCall ? `${REFUSED_NOTE} ${ENDING_NOTE}` : REFUSED_NOTE],
    ...(endsCall && { decidedEnd: decidedEnd ?? 'agent_hangup' }),
  });
  const keepsTranscript = agent.recording_consent?.keep_transcript === true;
  const entry = { type: 'consent' as const, consent: 'refused' as const, keepsTranscript, atUs: step.nowUs };
  step.command({ type: 'journal.write', entry });
}
