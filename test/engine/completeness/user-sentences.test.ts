import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const WHOLE_MS_MAX = 500;
const OPEN_MS_MIN = 1_000;

type Examples = Readonly<Record<string, readonly string[]>>;

/** The texts that do not end as expected. */
function otherThan(expected: 'open' | 'whole', examples: Examples, question = ''): readonly string[] {
  return Object.entries(examples).flatMap(([language, texts]) =>
    texts.filter((text) => {
      const ms = pauseMsOf(completeness(text, languagePack(language), { ...NO_EXPECTATION, question }));
      return expected === 'open' ? ms < OPEN_MS_MIN : ms > WHOLE_MS_MAX;
    }),
  );
}

describe('an object without the verb that comes last', () => {
  it('is open after a modal verb', () => {
    const sentences: Examples = {
      de: ['ich kann meine Rechnung', 'ich könnte den Termin am Freitag', 'mein Sohn muss seinen Ausweis'],
      nl: ['ik moet mijn afspraak', 'jullie zouden mij vorige week een brief', 'mijn zoon moet zijn paspoort'],
    };
    expect(otherThan('open', sentences)).toEqual([]);
    expect(otherThan('open', { de: ['Ja, ich würde gerne meinen Termin am Donnerstag.'] })).toEqual([]);
  });

  it('is open after a wish if it is the user’s own', () => {
    expect(otherThan('open', { de: ['ich möchte meinen Termin'], nl: ['ik wil graag mijn afspraak'] })).toEqual([]);
    expect(otherThan('whole', { de: ['ich möchte einen neuen Vertrag'], nl: ['ik wil een nieuw contract'] })).toEqual(
      [],
    );
  });

  it.each([
    ['with the verb', { de: ['ich kann meine Rechnung bezahlen'], nl: ['ik moet mijn contract opzeggen'] }],
    ['with a negation', { de: ['ich kann den Termin nicht'], nl: ['ik kan de afspraak niet'] }],
    ['if it is a time', { de: ['ich kann den ganzen Tag'] }],
    ['without an object', { de: ['ich kann am Montag'], nl: ['ik moet naar de dokter'] }],
    ['with another verb', { de: ['ich brauche meinen Ausweis'] }],
  ])('is whole %s', (_, sentences) => {
    expect(otherThan('whole', sentences)).toEqual([]);
  });
});

describe('an auxiliary without its participle', () => {
  it('is open before a past time', () => {
    expect(otherThan('open', { de: ['wir sind gestern mit dem Auto', 'er ist letzte Woche'] })).toEqual([]);
    expect(otherThan('open', { nl: ['wij zijn gisteren met de auto', 'ik ben vorige week'] })).toEqual([]);
    const whole: Examples = {
      de: ['die Rechnung ist von gestern', 'ich war gestern beim Arzt', 'ich bin gestern operiert worden'],
      nl: ['de factuur is van gisteren', 'ik was gisteren bij de dokter'],
    };
    expect(otherThan('whole', whole)).toEqual([]);
  });

  it('is open before «not yet», unless its object comes first or a question precedes', () => {
    const sentences: Examples = { de: ['der Techniker hat noch nicht', 'ja wir haben noch nicht'] };
    expect(otherThan('open', sentences)).toEqual([]);
    expect(otherThan('open', { nl: ['de monteur heeft nog niet'] })).toEqual([]);
    expect(otherThan('whole', { de: ['das habe ich noch nicht', 'noch nicht'] })).toEqual([]);
    expect(otherThan('whole', { de: ['nein ich habe noch nicht'] }, 'Haben Sie bezahlt?')).toEqual([]);
  });
});

describe('a conjunction and pronouns', () => {
  it('are open without their verb', () => {
    expect(otherThan('open', { de: ['ich wollte fragen ob sie mir'], nl: ['ik wou vragen of jullie mij'] })).toEqual(
      [],
    );
  });
});

describe('a possessive', () => {
  it('begins a noun phrase after a preposition', () => {
    expect(otherThan('open', { de: ['ich habe gestern mit ihrem Kollegen'] })).toEqual([]);
  });
});
