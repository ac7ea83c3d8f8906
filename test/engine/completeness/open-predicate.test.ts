import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { lacksQuotation } from '../../../engine/completeness/open-predicate.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';
import { wordsOf } from '../../../engine/languages/words.ts';

const WHOLE_MS_MAX = 500;
const OPEN_MS_MIN = 1_000;

function pauseMs(language: string, text: string): number {
  return pauseMsOf(completeness(text, languagePack(language), NO_EXPECTATION));
}

describe('a sentence is open, with and without a full stop,', () => {
  it.each([
    ['en', 'we would rather'],
    ['en', "I'd sooner"],
    ['de', 'wir würden lieber'],
    ['de', 'am besten wäre uns'],
    ['nl', 'wij zouden liever'],
    ['es', 'preferiríamos'],
    ['es', 'necesitaría que alguien'],
    ['fr', 'vous pourriez'],
    ['fr', 'nous préférerions'],
    ['it', 'preferirei'],
    ['pt', 'eu preferiria'],
  ])('after a wish (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['de', 'mein Sohn hat vorgestern'],
    ['de', 'unsere Firma hatte letzte Woche'],
    ['nl', 'mijn dochter heeft vandaag'],
    ['nl', 'vorige week had ik met uw collega'],
  ])('without the participle of its perfect (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'the note on the door says'],
    ['en', 'it says on the box'],
    ['de', 'im Vertrag steht'],
    ['de', 'hier steht auf dem Brief'],
    ['nl', 'op de doos staat'],
    ['es', 'la carta dice'],
    ['fr', "sur l'étiquette il est écrit"],
    ['it', "sull'etichetta c'è scritto"],
    ['pt', 'na carta diz'],
  ])('before what is read out (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'on Friday, no, wait'],
    ['de', 'Nein, Moment mal'],
    ['nl', 'wacht even, sorry'],
    ['es', 'no, espere'],
    ['fr', 'non, attendez'],
    ['it', 'no, un attimo'],
    ['pt', 'não, espere'],
  ])('after words that take it back (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'you know, last Friday'],
    ['de', 'tja, letzten Montag'],
    ['nl', 'nou, vorige week'],
    ['es', 'a ver, anoche'],
    ['fr', 'bon ben, hier'],
    ['it', 'insomma, ieri'],
    ['pt', 'olhe, ontem'],
  ])('with a hesitation and a past time only (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', 'when I called'],
    ['de', 'wenn ich anrufe'],
    ['nl', 'toen ik belde'],
    ['es', 'cuando llamé'],
    ['it', 'quando ho chiamato'],
    ['pt', 'quando cheguei'],
    ['pt', 'quando eu liguei'],
  ])('in a clause on what the user did (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });
});

describe('a sentence is open, with and without a full stop,', () => {
  it.each([
    ['en', 'he left me a message saying'],
    ['en', 'I got a text from them asking that'],
    ['es', 'recibí una carta diciendo'],
    ['fr', 'j’ai eu un appel disant'],
    ['it', 'ho ricevuto una lettera chiedendo'],
    ['pt', 'tive uma chamada a dizer'],
    ['pt', 'recebi uma carta dizendo'],
  ])('before what was said (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['en', "I'd really rather not"],
    ['de', 'ich würde lieber nicht'],
    ['nl', 'wij zouden liever niet'],
    ['es', 'preferiría no'],
    ['fr', 'je préférerais ne pas'],
    ['it', 'preferiremmo non'],
    ['pt', 'nós preferíamos não'],
  ])('after a negated wish, unless a question was asked (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });

  it.each([
    ['de', 'meine Frau hat gestern den Brief'],
    ['de', 'ich habe letzte Woche das Formular'],
    ['nl', 'wij hebben gisteren de rekening'],
  ])('in a perfect tense whose participle comes last (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
    expect(pauseMs(language, `${text}.`)).toBeGreaterThanOrEqual(OPEN_MS_MIN);
  });
});

it('a negated wish is a whole answer to a question', () => {
  const expectation = { ...NO_EXPECTATION, question: 'Could you send us the form?' };
  expect(pauseMsOf(completeness("I'd rather not.", languagePack('en'), expectation))).toBeLessThanOrEqual(WHOLE_MS_MAX);
});

describe('a sentence is whole', () => {
  it.each([
    ['en', 'I was just asking'],
    ['en', 'thanks for asking'],
    ['en', 'they keep asking'],
    ['en', "I'm not saying"],
    ['es', 'eso es lo que estoy diciendo'],
    ['pt', 'estou a perguntar'],
    ['de', 'das möchte ich nicht'],
    ['de', 'ich habe gestern das Paket bekommen'],
    ['de', 'ich habe morgen einen Termin'],
    ['nl', 'ik heb vorige week het formulier ingevuld'],
    ['en', 'one moment please'],
    ['en', 'No, sorry.'],
    ['en', 'so on Monday'],
    ['en', 'my doctor said Monday'],
    ['en', 'The shop says no.'],
    ['de', 'das wäre mir lieber'],
    ['de', 'Also morgen.'],
    ['de', 'ich habe morgen Zeit'],
    ['de', 'mein Mann hat gestern angerufen'],
    ['de', 'mein Auto steht vor der Tür'],
    ['de', 'da steht nichts'],
    ['nl', 'mijn fiets staat in de schuur'],
    ['nl', 'hij heeft al betaald'],
    ['es', 'voy a la panadería'],
    ['es', 'mi pedido no aparece en la web'],
    ['es', 'lo que usted diga'],
    ['es', 'cuando pueda'],
    ['fr', 'ça me plairait'],
    ['fr', "c'est le bon portrait"],
    ['it', 'quanto costerebbe'],
    ['it', 'se può'],
    ['pt', 'isso seria tudo'],
    ['pt', 'se puder'],
  ])('with the same words in another place (%s: %s)', (language, text) => {
    expect(pauseMs(language, text)).toBeLessThanOrEqual(WHOLE_MS_MAX);
  });
});

describe('what is read out', () => {
  const isMissing = (text: string) => lacksQuotation(wordsOf(text), languagePack('en').clauses);

  it.each(['she says', 'it says', 'the man says'])('follows the subject and its verb: «%s»', (text) => {
    expect(isMissing(text)).toBe(true);
  });

  it.each(['says', 'quickly says', 'the man who says', 'he has said', 'the man has said', 'does the man say'])(
    'does not follow «%s»',
    (text) => {
      expect(isMissing(text)).toBe(false);
    },
  );
});
