import { isOtherNumber } from './context-words.ts';
import { digitStretches, digitsOf, pausedGroups } from './digit-windows.ts';
import { plainWord } from './number-grammar.ts';
import type { FoundEntity } from './redaction-entity.ts';
import type { SpokenCharacter } from './spoken-characters.ts';

/** Words between an announcement and the digits. */
const WORDS_BETWEEN_MAX = 8;
const AFTER_LENGTH = 40;
/** Characters of `WORDS_BETWEEN_MAX` words, at most. */
const ANSWER_LENGTH_MAX = 120;
/** Words at the end of a question that ask for something. */
const QUESTION_WORDS_MAX = 15;
const MONTH_LENGTH = 2;
const WORD = /[a-z\d]+/g;
/** Words that announce an expiry date, in seven languages, in lower case and without diacritics. */
const EXPIRY =
  `exp(?![a-z])|expir|(?:valid|good) (?:until|till|thru|through|to)|gultig|ablauf|lauft (?:\\w+ )?ab(?![a-z])|verfall
  |caduc|vence|vencim|validez|validade|valida hasta|valable|valide jusqu|scad|geldig|verval|verloop`.replace(
    /\s*\n\s*/g,
    '',
  );
/** Words that announce a security code. */
const CODE =
  `cvv|cvc|cvn|cid(?![a-z])|csc(?![a-z])|(?:security|verification) (?:code|number|digits|value)|(?:on|from) the back
  |three digits|drei ziffern|tres digitos|trois (?:derniers )?chiffres|tre cifre|drie cijfers|prufziffer|prufnummer|prufzahl
  |kartenpruf|sicherheits(?:code|nummer|zahl)|codigo de (?:seguridad|seguranca|verificacion|verificacao)|reverso|dorso|no verso
  |cryptogramme|code de (?:securite|verification)|au dos|codice di sicurezza|sul retro|beveiligings?code|veiligheidscode
  |controlecode|achterkant`.replace(/\s*\n\s*/g, '');
/** «… is the security code»: the announcement follows. */
const LINK = '^\\W*(?:is|ist|es|est|e)\\W+(?:\\w+\\W+){0,2}?';

interface Detail {
  readonly digits: RegExp;
  readonly before: RegExp;
  readonly after: RegExp;
}

const EXPIRY_DATE: Detail = {
  /** A month, a year or both. */
  digits: /^(?:\d{2}|20\d{2}|(?:0?[1-9]|1[0-2])(?:20)?\d{2})$/,
  ...announcement(EXPIRY),
};
const SECURITY_CODE: Detail = { digits: /^\d{3,4}$/, ...announcement(CODE) };
const DETAILS = [EXPIRY_DATE, SECURITY_CODE];

/**
 * Finds the expiry date and the security code of a card, where words announce them. Each announcement counts for one of them.
 *
 * @param runs without the characters of other entities
 * @param questionAt the words of the other party before an index of the text
 */
export function cardDetails(
  text: string,
  runs: readonly (readonly SpokenCharacter[])[],
  questionAt: (index: number) => string,
): readonly Omit<FoundEntity, 'entity'>[] {
  const announced = new Set<Detail>();
  /** Questions that have their answer, by the start of the entry. */
  const answered = new Set<string>();
  let previous = 0;
  const groups = runs.flatMap(digitStretches).flatMap(pausedGroups);
  return groups.flatMap((group) => {
    const from = group[0]?.from ?? 0;
    const to = group.at(-1)?.to ?? 0;
    const between = wordsOf(text.slice(previous, from));
    previous = from;
    const said = between.slice(-WORDS_BETWEEN_MAX).join(' ');
    if (between.length > WORDS_BETWEEN_MAX) announced.clear();
    for (const detail of DETAILS) if (detail.before.test(said)) announced.add(detail);
    const entryFrom = text.lastIndexOf('\n', from - 1) + 1;
    const isAnswer =
      from - entryFrom <= ANSWER_LENGTH_MAX && wordsOf(text.slice(entryFrom, from)).length <= WORDS_BETWEEN_MAX;
    const question = isAnswer ? wordsOf(questionAt(from)).slice(-QUESTION_WORDS_MAX).join(' ') : '';
    const digits = digitsOf(group);
    const after = plainWord(text.slice(to, to + AFTER_LENGTH));
    const found = DETAILS.find((detail) => {
      if (!detail.digits.test(digits)) return false;
      const isAsked = detail.before.test(question) && !answered.has(`${entryFrom} ${DETAILS.indexOf(detail)}`);
      return announced.has(detail) || isAsked || detail.after.test(after);
    });
    if (found === undefined || isOtherNumber('', after)) {
      announced.clear();
      return [];
    }
    // After a month its year may follow.
    if (digits.length > MONTH_LENGTH) {
      announced.delete(found);
      answered.add(`${entryFrom} ${DETAILS.indexOf(found)}`);
    }
    return [{ from, to, characters: digits }];
  });
}

/** The announcement begins a word. */
function announcement(words: string): Pick<Detail, 'before' | 'after'> {
  return { before: new RegExp(`(?<![a-z])(?:${words})`), after: new RegExp(`${LINK}(?:${words})`) };
}

/** Names of fields («securityCode», «exp_year») are words, too. */
function wordsOf(text: string): readonly string[] {
  return plainWord(text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')).match(WORD) ?? [];
}
