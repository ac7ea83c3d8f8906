import { ibanLength, isIban } from './bank-accounts.ts';
import { cardLengths, isCardNumber } from './card-numbers.ts';
import { digitStretches } from './digit-windows.ts';
import { isFiscalCode } from './national-ids.ts';
import type { RedactionEntity } from './redaction-entity.ts';
import type { SpokenCharacter } from './spoken-characters.ts';

const FISCAL_CODE_LENGTH = 16;
/** Digits of most cards. American Express and Diners Club, which begin with 3, have fewer. */
const CARD_LENGTH = 16;
/** Digits of a written group of `CARD_LENGTH`, and the ends of the first groups of shorter cards. */
const GROUP = 4;
const SHORT_CARD_ENDS = [4, 10];

/** A kind of number whose form and check digits are so certain that other words may stand between its parts. */
export interface JoinedForm {
  readonly entity: RedactionEntity;
  /** Parts between other words. */
  readonly partsMax: number;
  /** The stretches of a run that a number of this kind may consist of. */
  readonly stretches: (run: readonly SpokenCharacter[]) => readonly (readonly SpokenCharacter[])[];
  /** The lengths of the numbers that begin with these characters; empty: none does. */
  readonly lengths: (begin: string) => readonly number[];
  readonly passes: (number: string) => boolean;
  /** Whether a number of this length is written with a gap behind so many characters. */
  readonly hasGapAt: (count: number, length: number) => boolean;
}

export const JOINED_FORMS: readonly JoinedForm[] = [
  {
    entity: 'iban',
    partsMax: 8,
    stretches: (run) => [run],
    lengths: (begin) => {
      const length = /^[A-Z]{2}\d{2}/.test(begin) ? ibanLength(begin) : undefined;
      return length === undefined ? [] : [length];
    },
    passes: isIban,
    hasGapAt: () => true,
  },
  {
    entity: 'card',
    partsMax: 5,
    stretches: digitStretches,
    lengths: (begin) =>
      cardLengths(begin).filter((length) => length === CARD_LENGTH || (length < CARD_LENGTH && begin.startsWith('3'))),
    passes: isCardNumber,
    hasGapAt: (count, length) => (length < CARD_LENGTH ? SHORT_CARD_ENDS.includes(count) : count % GROUP === 0),
  },
  {
    entity: 'national_id',
    partsMax: 4,
    stretches: (run) => [run],
    lengths: (begin) => (/^[A-Z]{6}[\dLMNP-V]{2}/.test(begin) ? [FISCAL_CODE_LENGTH] : []),
    passes: isFiscalCode,
    hasGapAt: () => true,
  },
];
