import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { AnsweringMachineState } from '../core/state/answering-machine-slice.ts';
import { answeringMachinePhrases } from '../languages/language-packs.ts';
import type { AnswerType } from '../ports/answer-type.ts';
import { joinSpoken } from '../transcript/history.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';
import {
  type AnswerClassification,
  type AnswerEvidence,
  CLASSIFICATION_MAX_MS,
  classifyAnswer,
  classifyWords,
  SHORT_GREETING_MAX_MS,
} from './classification.ts';

/** So long after the answer what was taken for a person, or for nothing known, may still turn out to be a machine. */
const CORRECTION_MAX_MS = 15_000;
/** The initial message waits so long for the callee's own first word: people pick up, lift the phone, and speak. */
const FIRST_WORD_WAIT_MS = 1_000;
/** After more turns than this, a beep belongs to a phone nearby and not to a voicemail. */
const TURNS_OF_MACHINE_MAX = 2;

/** A call that we placed was answered. */
export function startDetection(step: RuleStep): void {
  const { parameters, agent, greeting } = step.context;
  if (parameters.direction !== 'outbound') return;
  changeAnsweringMachine(step, { detection: 'deciding' });
  step.command({ type: 'tones.listen', on: true });
  step.startTimer('answering_machine_detection', CLASSIFICATION_MAX_MS);
  step.startTimer('answering_machine_correction', CORRECTION_MAX_MS);
  if (greeting === 'scheduled')
    step.startTimer('callee_first_word', Math.max(FIRST_WORD_WAIT_MS, agent.initial_message_delay * 1000));
}

export function changeAnsweringMachine(step: RuleStep, changed: Partial<AnsweringMachineState>): void {
  step.change({ answeringMachine: { ...step.context.answeringMachine, ...changed } });
}

/** Classifies again after each sound or word, and at the time limit. */
export function updateDetection(step: RuleStep): void {
  classify(step, false);
}

/** Classifies the turn that is about to be answered. */
export function classifyEndedTurn(step: RuleStep): void {
  classify(step, true);
}

/** Who answered does not change any more. Menus and screenings go on, and so does listening for what follows them. */
export function stopCorrections(step: RuleStep): void {
  const { type, speech } = step.context.answeringMachine;
  if (type === 'ivr' || type === 'call_screening' || speech !== 'none') return;
  changeAnsweringMachine(step, { detection: 'off' });
  step.command({ type: 'tones.listen', on: false });
}

function classify(step: RuleStep, turnEnded: boolean): void {
  const { answeringMachine, agent, userTurn } = step.context;
  if (answeringMachine.detection === 'off') return;
  const classification = isMachineType(answeringMachine.type)
    ? classifyWords(userTurnText(userTurn), answeringMachinePhrases(agent.language))
    : classifyAnswer(evidenceOf(step, turnEnded));
  if (classification === null) return;
  if (classification.type === answeringMachine.type) {
    // The next part of a menu, or an announcement where nothing was known.
    const isNext =
      answeringMachine.type === 'unknown' ? !answeringMachine.greetingHeard : answeringMachine.type !== 'voicemail';
    if (classification.hearsNobody && isNext && step.context.reply === null) listenToMachine(step, classification);
    return;
  }
  if (canBecome(step.context, classification)) decide(step, classification.type, classification);
}

function isMachineType(type: AnswerType | null): boolean {
  return type === 'voicemail' || type === 'ivr' || type === 'call_screening';
}

function evidenceOf(step: RuleStep, turnEnded: boolean): AnswerEvidence {
  const { agent, answeringMachine, answeredUs, userTurn, history } = step.context;
  const before = history.map((item) => (item.type === 'user' ? item.text : ''));
  const spokenUntilUs = userTurn.speaking ? step.nowUs : (userTurn.endedUs ?? step.nowUs);
  const text = userTurnText(userTurn);
  return {
    phrases: answeringMachinePhrases(agent.language),
    text: joinSpoken(...before, text),
    beep: answeringMachine.beepUs !== null,
    sitHeard: answeringMachine.sitHeard,
    sinceAnswerMs: (step.nowUs - (answeredUs ?? step.nowUs)) / 1000,
    turnMs: text === '' || userTurn.startedUs === null ? null : (spokenUntilUs - userTurn.startedUs) / 1000,
    turnEnded,
    answersAgent: history.some((item) => item.type === 'agent' && item.entry !== null),
  };
}

/** What was not known may become known; what was, may once turn out to be a machine, or another one. */
function canBecome(
  { answeringMachine, userTurn, counters }: CallContext,
  classification: AnswerClassification,
): boolean {
  if (answeringMachine.type === null || answeringMachine.type === 'unknown') return true;
  if (answeringMachine.corrected || !classification.hearsNobody) return false;
  if (answeringMachine.type !== 'human') return true;
  switch (classification.reason) {
    case 'a beep':
      return counters.turn <= TURNS_OF_MACHINE_MAX;
    case 'words of absence':
      // People say such words too, in passing.
      return userTurn.startedUs !== null && (userTurn.endedUs ?? 0) - userTurn.startedUs > SHORT_GREETING_MAX_MS * 1000;
    case 'words of a recording':
    case 'words of a menu':
    case 'words of a screening':
      return true;
    default:
      return false;
  }
}

function decide(step: RuleStep, answerType: AnswerType, classification: AnswerClassification): void {
  recordAnswerType(step, answerType, classification.reason);
  if (classification.hearsNobody) listenToMachine(step, classification);
}

/** Keeps who answered, and tells it. */
export function recordAnswerType(step: RuleStep, answerType: AnswerType, reason: string): void {
  const { type, corrected } = step.context.answeringMachine;
  const wasKnown = type !== null && type !== 'unknown';
  changeAnsweringMachine(step, { detection: 'decided', type: answerType, corrected: corrected || wasKnown });
  step.stopTimer('answering_machine_detection');
  step.log('info', `answered by: ${answerType} (${reason})`);
  step.command({ type: 'journal.write', entry: { type: 'answer_type', answerType, atUs: step.nowUs } });
}

/** Nothing is said over a machine; what is being said is cut. A call that ends, or is handed over, goes its way. */
function listenToMachine(step: RuleStep, classification: AnswerClassification): void {
  const { answeringMachine, decidedEnd, reply } = step.context;
  if (answeringMachine.speech !== 'none' || decidedEnd !== null || (reply !== null && reply.followUp.type !== 'listen'))
    return;
  changeAnsweringMachine(step, { speech: classification.reason === 'a beep' ? 'finished' : 'speaking' });
}
