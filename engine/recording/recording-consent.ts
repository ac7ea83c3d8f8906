import type { RuleStep } from '../core/rule-step.ts';
import { INITIAL_RECORDING } from '../core/state/recording-slice.ts';
import { endsWithQuestion } from '../languages/question-mark.ts';
import { isMereNo, refusesRecording } from '../languages/recording-refusal-phrases.ts';
import { wordsOf } from '../languages/words.ts';
import type { ConsentEntry } from '../ports/journal.ts';
import { userLanguageOf, userTurnLanguage, userTurnWords } from '../transcript/user-turn-text.ts';

const REFUSED_NOTE =
  'The caller has just refused the recording of the call. It is deleted, and nothing is recorded any more. Confirm this in one sentence.';
const ENDING_NOTE = 'The call ends after your next answer: say goodbye in it.';

/** The announcement is part of the agent's reply; `item`: the item of the history that holds it, and nothing else. */
export function askForConsent(step: RuleStep, item: number): void {
  if (step.context.consent.answer === 'not_asked')
    step.change({ consent: { answer: 'not_asked', announcedBy: item, isHeard: false } });
}

/** A segment of the agent was played to its end. A voice failover replaces segments, and keeps their item. */
export function onAnnouncementPlayed(step: RuleStep): void {
  const { consent, reply } = step.context;
  const announced = reply?.segments.filter(({ item }) => item === consent.announcedBy) ?? [];
  if (consent.isHeard || announced.length === 0 || !announced.every(({ ended }) => ended)) return;
  step.change({ consent: { ...consent, isHeard: true } });
}

/** No voice speaks the rest of these items: an announcement among them was not made. */
export function leaveAnnouncement(step: RuleStep, items: ReadonlySet<number>): void {
  const { consent } = step.context;
  if (consent.announcedBy === null || consent.isHeard || !items.has(consent.announcedBy)) return;
  step.change({ consent: { ...consent, announcedBy: null } });
}

/** A machine has the turn: it consents to nothing. A person who follows it hears the announcement. */
export function forgetAnnouncement(step: RuleStep): void {
  const { consent } = step.context;
  if (consent.answer === 'refused') return;
  step.change({ consent: INITIAL_RECORDING.consent });
  if (consent.answer === 'given') writeConsent(step, { consent: 'not_asked' });
}

/** The end of a user turn is certain. */
export function judgeSpokenConsent(step: RuleStep): void {
  const { userTurn } = step.context;
  if (judgeWords(step, userTurnWords(userTurn), userTurnLanguage(step.context))) endRefusedCall(step);
}

/** A text that the user typed. */
export function judgeTypedText(step: RuleStep): void {
  const { event } = step;
  if (event.type === 'media.typed_text')
    judgeWords(step, wordsOf(event.text), userLanguageOf(event.text, step.context));
}

/**
 * A mere «no» refuses as the first answer to the announcement; words that can only mean the recording refuse it at any time. Any other
 * answer to the announcement gives the consent, except a «no» to the question of the initial message.
 *
 * @returns whether the user has refused, now or earlier
 */
function judgeWords(step: RuleStep, words: readonly string[], language: string): boolean {
  const { agent, answeringMachine, consent } = step.context;
  if (agent.recording_consent === undefined || answeringMachine.machineSpeech !== 'none') return false;
  if (consent.answer === 'refused') return true;
  const isAnswer = consent.answer === 'not_asked' && consent.announcedBy !== null;
  const languages = [...new Set([language, agent.language])];
  if (agent.recording_consent.spoken_refusal) {
    const isMere = languages.some((tag) => isMereNo(words, tag));
    // Greetings of agents end with their own question.
    if (isMere && endsWithQuestion(agent.initial_message)) return false;
    if (languages.some((tag) => refusesRecording(words, tag, isAnswer))) {
      refuse(step);
      return true;
    }
  }
  if (words.length > 0) giveConsent(step);
  return false;
}

/** The digit refuses from the announcement on, until the user has answered it. */
export function judgeTypedConsent(step: RuleStep): void {
  const { agent, consent, dtmf } = step.context;
  if (step.event.type !== 'media.dtmf' || consent.answer !== 'not_asked' || consent.announcedBy === null) return;
  if (step.event.digit !== agent.recording_consent?.refusal_digit) {
    giveConsent(step);
    return;
  }
  refuse(step);
  // A terminator alone makes no entry that is answered.
  if (step.event.digit === agent.dtmf.terminator && dtmf.openEntry === null) step.change({ pendingResponse: true });
}

/** The user has not refused: at their first answer, or at the end of the call. They must have heard the announcement. */
export function giveConsent(step: RuleStep): void {
  const { consent } = step.context;
  if (consent.answer !== 'not_asked' || !consent.isHeard) return;
  step.change({ consent: { ...consent, answer: 'given' } });
  writeConsent(step, { consent: 'given' });
}

function refuse(step: RuleStep): void {
  const { agent, consent, notes } = step.context;
  const endsCall = agent.recording_consent?.on_refusal === 'hang_up';
  step.change({
    consent: { ...consent, answer: 'refused' },
    notes: [...notes, endsCall ? `${REFUSED_NOTE} ${ENDING_NOTE}` : REFUSED_NOTE],
  });
  const keepsTranscript = agent.recording_consent?.keep_transcript === true;
  writeConsent(step, { consent: 'refused', keepsTranscript });
}

/** The model is about to confirm the recording refusal: the call ends after its answer, if the agent's configuration says so. */
export function endRefusedCall(step: RuleStep): void {
  const { agent, consent, decidedEnd } = step.context;
  if (consent.answer !== 'refused' || agent.recording_consent?.on_refusal !== 'hang_up') return;
  step.change({ decidedEnd: decidedEnd ?? 'agent_hangup' });
}

function writeConsent(step: RuleStep, answer: Pick<ConsentEntry, 'consent' | 'keepsTranscript'>): void {
  step.command({ type: 'journal.write', entry: { type: 'consent', ...answer, atUs: step.nowUs } });
}
