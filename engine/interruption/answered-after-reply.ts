import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { FinishedReply } from '../core/state/playout-slice.ts';
import { asksNothing } from '../languages/asks-nothing.ts';
import { callsAgent } from '../languages/attention-call.ts';
import { isBackchannel } from '../languages/backchannel.ts';
import { type LanguagePack, languagePack } from '../languages/language-packs.ts';
import { areOpeningWords } from '../languages/opening-words.ts';
import { containsPhrase } from '../languages/phrase-matching.ts';
import { endsWithQuestion } from '../languages/question-mark.ts';
import { userTurnLanguage, userTurnWords } from '../transcript/user-turn-text.ts';
import { openWordsEndMs, openWordsStartMs } from '../user-speech/open-speech.ts';

/** Even a backchannel is an answer if it ends this shortly before the end of the reply. */
const LATE_ANSWER_MS = 1_500;
/** A user who asks whether the agent is there hears that it is if it speaks on for this long. In ms. */
const HEARD_MS_MIN = 1_000;
/** A backchannel within this time after a question of the agent answers it, although the agent speaks on. In ms. */
const QUESTION_ANSWER_MS_MAX = 2_500;

/**
 * Whether words of the user that did not interrupt the reply are answered after it. Backchannels are not, unless they
 * follow a question of the agent, or came so late that they are the answer. «Hello?» and «Um» are not, if the agent was
 * heard after them. The times of the words decide, so it is the same whether they become known during the reply or after its end.
 */
export function isAnsweredAfterReply(step: RuleStep): boolean {
  const { speech } = step.context.userTurn;
  const words = userTurnWords(step.context.userTurn);
  const [startMs, endMs] = [openWordsStartMs(speech), openWordsEndMs(speech)];
  if (words.length === 0 || startMs === null || endMs === null) return false;
  const startedUs = step.audioUs(startMs);
  const finished = finishedReplyDuring(step, startedUs);
  const reply = finished ?? finishedReply(step);
  // A sound after the words may be more words, which are not known yet.
  const soundEndedUs = finished === null ? (step.context.userTurn.endedUs ?? 0) : 0;
  const endedUs = Math.max(step.audioUs(endMs), soundEndedUs);
  const language = languagePack(userTurnLanguage(step.context));
  const isBackchannelOnly = isBackchannel(words, language);
  const isCourtesy = asksNothing(words, userTurnLanguage(step.context));
  // «Yes, please.»
  const mayAnswer = isBackchannelOnly || (isCourtesy && containsPhrase(words, language.backchannels));
  if (mayAnswer && (followsQuestion(reply, startedUs) || followsEarlierQuestion(step.context, startedUs))) return true;
  const goesOn = beginsAfter(reply, endedUs) || (!isBackchannelOnly && goesOnAfter(reply, endedUs));
  if (goesOn && isSatisfiedBy(reply, words, language)) return false;
  if (beginsAfter(reply, endedUs) && !isBackchannelOnly && isCourtesy) return false;
  return !isBackchannelOnly || reply.endedUs - endedUs <= LATE_ANSWER_MS * 1000;
}

/** The agent began another sentence after this time. */
function beginsAfter({ lastStartedUs }: FinishedReply, endedUs: number): boolean {
  return (lastStartedUs ?? 0) > endedUs;
}

/** The agent was heard for a while after this time. */
function goesOnAfter({ heardUntilUs }: FinishedReply, endedUs: number): boolean {
  return (heardUntilUs ?? 0) - endedUs >= HEARD_MS_MIN * 1000;
}

/** The words only ask whether the agent is there. A greeting answers greetings too, but no request to stop. */
function isSatisfiedBy({ isGreeting }: FinishedReply, words: readonly string[], language: LanguagePack): boolean {
  if (!isGreeting) return callsAgent(words, language);
  return areOpeningWords(words, language) && !containsPhrase(words, language.stopPhrases);
}

/**
 * The last finished reply if words that began at this time were spoken over it; null: they were spoken over the current
 * one.
 */
function finishedReplyDuring({ context }: RuleStep, startedUs: number): FinishedReply | null {
  const { lastFinishedReply, reply } = context;
  return lastFinishedReply !== null && (reply === null || startedUs < lastFinishedReply.endedUs)
    ? lastFinishedReply
    : null;
}

/** The current reply as if it ended now. */
export function finishedReply({ context, nowUs }: RuleStep): FinishedReply {
  const played = (context.reply?.segments ?? []).flatMap((segment) =>
    segment.playout === null ? [] : [{ ...segment, startedUs: segment.playout.startedUs }],
  );
  const last = played.at(-1);
  return {
    endedUs: nowUs,
    lastStartedUs: last?.startedUs ?? null,
    heardUntilUs:
      last === undefined
        ? null
        : Math.min(nowUs, last.startedUs + (last.durationMs ?? Number.POSITIVE_INFINITY) * 1000),
    isGreeting: context.reply?.keptTexts.some(({ text }) => text === 'initial_message') === true,
    questions: played.flatMap(({ durationMs, startedUs, text }) =>
      durationMs === null || !endsWithQuestion(text) ? [] : [{ startedUs, endedUs: startedUs + durationMs * 1000 }],
    ),
  };
}

/** The reply before the current one has asked a question, which no turn of the user has answered. */
function followsEarlierQuestion({ lastFinishedReply, reply }: CallContext, startedUs: number): boolean {
  return reply?.turn === null && lastFinishedReply !== null && followsQuestion(lastFinishedReply, startedUs);
}

/** Words that began at this time began during a question of the reply, or shortly after it. */
function followsQuestion({ questions }: FinishedReply, startedUs: number): boolean {
  return questions.some(
    (question) => startedUs >= question.startedUs && startedUs <= question.endedUs + QUESTION_ANSWER_MS_MAX * 1000,
  );
}
