import type { AnswerProgress, CallContext } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { answeringPhrases } from '../languages/answering-machine-languages.ts';
import type { AnswerType } from '../ports/answer-type.ts';
import { joinSpoken } from '../transcript/history.ts';
import { turnText } from '../turn-detection/turn-text.ts';
import {
  ANSWER_BOUND_MS,
  type AnswerEvidence,
  type AnswerVerdict,
  judgeAnswer,
  machineByWords,
  SHORT_GREETING_MS,
} from './classification.ts';

/** So long after the answer what was taken for a person, or for nothing known, may still turn out to be a machine. */
const WATCH_MS = 15_000;
/** The initial message waits so long for the callee's own first word: people pick up, lift the phone, and speak. */
const FIRST_WORD_MS = 1_000;
/** Whoever has taken more turns than this talks with the agent: a beep is somebody's phone, and no voicemail's. */
const TURNS_OF_MACHINE_MAX = 2;

/** A call that we placed was answered. */
export function beginWatch(step: Step): void {
  const { facts, agent, greeting } = step.context;
  if (facts.direction !== 'outbound') return;
  changeAnswer(step, { watch: 'judging' });
  step.order({ type: 'tones.listen', on: true });
  step.startTimer('answer_type', ANSWER_BOUND_MS);
  step.startTimer('answer_watch', WATCH_MS);
  if (greeting === 'due') step.startTimer('first_word', Math.max(FIRST_WORD_MS, agent.initial_message_delay * 1000));
}

export function changeAnswer(step: Step, changed: Partial<AnswerProgress>): void {
  step.change({ answer: { ...step.context.answer, ...changed } });
}

/** Judges anew, after whatever was heard, and at the bound. */
export function watchAnswer(step: Step): void {
  judge(step, false);
}

/** The turn of whoever answered is over: it is about to be answered. */
export function settleTurn(step: Step): void {
  judge(step, true);
}

/** Who answered does not change any more. Menus and screenings go on, and so does listening for what follows them. */
export function endWatch(step: Step): void {
  const { type, machine } = step.context.answer;
  if (type === 'ivr' || type === 'call_screening' || machine !== 'none') return;
  changeAnswer(step, { watch: 'off' });
  step.order({ type: 'tones.listen', on: false });
}

function judge(step: Step, turnEnded: boolean): void {
  const { answer, agent, caller } = step.context;
  if (answer.watch === 'off') return;
  const verdict = hearsNobody(answer.type)
    ? machineByWords(turnText(caller), answeringPhrases(agent.language))
    : judgeAnswer(evidenceOf(step, turnEnded));
  if (verdict === null) return;
  if (verdict.type === answer.type) {
    // The next part of a menu, or an announcement where nothing was known.
    const isNext = answer.type === 'unknown' ? !answer.listened : answer.type !== 'voicemail';
    if (verdict.isMachine && isNext && step.context.reply === null) listenTo(step, verdict);
    return;
  }
  if (mayBecome(step.context, verdict)) settle(step, verdict.type, verdict);
}

function hearsNobody(type: AnswerType | null): boolean {
  return type === 'voicemail' || type === 'ivr' || type === 'call_screening';
}

function evidenceOf(step: Step, turnEnded: boolean): AnswerEvidence {
  const { agent, answer, answeredUs, caller, history } = step.context;
  const before = history.map((item) => (item.type === 'caller' ? item.text : ''));
  const spokenUntilUs = caller.speaking ? step.nowUs : (caller.endedUs ?? step.nowUs);
  const text = turnText(caller);
  return {
    phrases: answeringPhrases(agent.language),
    text: joinSpoken(...before, text),
    beep: answer.beepUs !== null,
    sit: answer.sit,
    sinceAnswerMs: (step.nowUs - (answeredUs ?? step.nowUs)) / 1000,
    turnMs: text === '' || caller.startedUs === null ? null : (spokenUntilUs - caller.startedUs) / 1000,
    turnEnded,
    answersAgent: history.some((item) => item.type === 'agent' && item.line !== null),
  };
}

/** What was not known may become known; what was, may once turn out to be a machine, or another one. */
function mayBecome({ answer, caller, numbers }: CallContext, verdict: AnswerVerdict): boolean {
  if (answer.type === null || answer.type === 'unknown') return true;
  if (answer.corrected || !verdict.isMachine) return false;
  if (answer.type !== 'human') return true;
  switch (verdict.reason) {
    case 'a beep':
      return numbers.turn <= TURNS_OF_MACHINE_MAX;
    case 'words of absence':
      // People say such words too, in passing.
      return caller.startedUs !== null && (caller.endedUs ?? 0) - caller.startedUs > SHORT_GREETING_MS * 1000;
    case 'words of a recording':
    case 'words of a menu':
    case 'words of a screening':
      return true;
    default:
      return false;
  }
}

function settle(step: Step, answerType: AnswerType, verdict: AnswerVerdict): void {
  settleAs(step, answerType, verdict.reason);
  if (verdict.isMachine) listenTo(step, verdict);
}

/** Keeps who answered, and tells it. */
export function settleAs(step: Step, answerType: AnswerType, reason: string): void {
  const { type, corrected } = step.context.answer;
  const wasKnown = type !== null && type !== 'unknown';
  changeAnswer(step, { watch: 'settled', type: answerType, corrected: corrected || wasKnown });
  step.stopTimer('answer_type');
  step.log('info', `answered by: ${answerType} (${reason})`);
  step.order({ type: 'journal.write', entry: { type: 'answer_type', answerType, atUs: step.nowUs } });
}

/** Nothing is said over a machine; what is being said is cut. A call that ends, or is handed over, goes its way. */
function listenTo(step: Step, verdict: AnswerVerdict): void {
  const { answer, ending, reply } = step.context;
  if (answer.machine !== 'none' || ending !== null || (reply !== null && reply.after.type !== 'listen')) return;
  changeAnswer(step, { machine: verdict.reason === 'a beep' ? 'done' : 'talks' });
}
