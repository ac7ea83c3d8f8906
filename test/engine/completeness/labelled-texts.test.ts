import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { spokenLanguage } from '../../../engine/languages/spoken-language.ts';
import { type LabelledTurn, TURN_LANGUAGES, tunedTurns } from '../../../fixtures/turns/labelled-turns.ts';

/** The longest delay of a complete turn after the transcriber's mark, and without one. Unit: ms. */
const MARKED_MS = 200;
const UNMARKED_MS = 500;
/** Look complete; only the next words show they were not. */
const LOOKS_COMPLETE = ['¿Cuánto cuesta', 'necesito una cita', 'Quanto costa', 'Wat kost', 'Quanto custa'];
/** A number of an unknown kind may go on, and a verb with its subject begins most sentences. */
const ANSWERED_LATE = ["It's 020 7946 0958.", 'Oké, doen we.'];

function pauseMs({ said, language, agentLanguage, question, punctuates, ownPausesMs }: LabelledTurn): number {
  return pauseMsOf(
    completeness(said, languagePack(spokenLanguage(said, agentLanguage ?? language)), {
      ...NO_EXPECTATION,
      question: question ?? '',
      punctuates: punctuates === true,
      pausesMs: ownPausesMs ?? [],
    }),
  );
}

describe.each(TURN_LANGUAGES)('the labelled texts in %s', (language) => {
  const texts = tunedTurns().filter((turn) => turn.language === language);

  it('are not interrupted while they continue', () => {
    const interrupted = texts.filter((turn) => turn.pauseMs !== undefined && pauseMs(turn) < turn.pauseMs);
    expect(interrupted.map(({ said }) => said).filter((said) => !LOOKS_COMPLETE.includes(said))).toEqual([]);
  });

  it('are answered as fast as with fixed pauses once they are complete', () => {
    const late = texts.filter((turn) => {
      const isMarked = /[.!?]$/.test(turn.said);
      return turn.pauseMs === undefined && pauseMs(turn) > (isMarked ? MARKED_MS : UNMARKED_MS);
    });
    expect(late.map(({ said }) => said).filter((said) => !ANSWERED_LATE.includes(said))).toEqual([]);
  });
});
