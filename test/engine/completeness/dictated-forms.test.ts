import { describe, expect, it } from 'vitest';
import { completeness } from '../../../engine/completeness/completeness.ts';
import { askedKinds, dictationLead, namedKinds } from '../../../engine/completeness/dictation-lead.ts';
import { NO_EXPECTATION } from '../../../engine/completeness/expectation.ts';
import { spokenDigits } from '../../../engine/completeness/spoken-digits.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const FORM_REASONS = ['dictation', 'form_may_continue', 'form_complete', 'awaits_form', 'number_in_sentence'] as const;
type FormReason = (typeof FORM_REASONS)[number];
type Example = readonly [text: string, reason: FormReason | null];

/** The reason that a form gives; null without one. */
function formReason(text: string, question: string, language: string): FormReason | null {
  const { reasons } = completeness(text, languagePack(language), { ...NO_EXPECTATION, question });
  return FORM_REASONS.find((reason) => reasons.includes(reason)) ?? null;
}

function expectEach(examples: readonly Example[], question = '', language = 'en'): void {
  expect(examples.map(([text]) => [text, formReason(text, question, language)])).toEqual(examples);
}

describe('a dictated form', () => {
  it('of a date of birth goes on until its year', () => {
    expectEach([
      ['my date of birth is', 'dictation'],
      ['my date of birth is 3.4', 'dictation'],
      ['my date of birth is march the third', 'dictation'],
      ['my date of birth is 03.04.85', null],
      ['my date of birth is 3/4/85', null],
      ['my date of birth is 3 4 19', 'dictation'],
      ['my date of birth is 3 march 1985', null],
      ['my date of birth is the third', 'dictation'],
      ['my date of birth is the third of march', 'dictation'],
      ['my date of birth is the third of march eighty five', null],
      ['my date of birth is the same', null],
      ['my date of birth is three four nineteen eighty five', null],
      ['my date of birth is on the form', null],
    ]);
    expectEach(
      [
        ['march', 'dictation'],
        ['the 3rd', 'dictation'],
        ['in the spring', null],
      ],
      'What is your date of birth?',
    );
  });

  it('of another date may be a day', () => {
    expectEach(
      [
        ['the 15th', null],
        ['march', null],
        ['on the third', null],
      ],
      'What date would suit you?',
    );
    expectEach([
      ['the date is', 'dictation'],
      ['the date is the third', null],
    ]);
  });

  it('of a spelled word goes on until its letters are a word that the user said before them', () => {
    expectEach([
      ['my name is spelled', 'dictation'],
      ['my name is spelled m e i e r', 'dictation'],
      ['Meier m e i e', 'dictation'],
      ['Meier m e i e r', 'form_complete'],
      ['Ada a d a', 'form_complete'],
      ['Jo j o', 'dictation'],
      ['it is spelled like the colour of the sky', null],
    ]);
  });

  it('of a postcode has five characters with letters, and the digits of its country without', () => {
    expectEach([
      ['my postcode is', 'dictation'],
      ['my postcode is S W 1 A', 'dictation'],
      ['my postcode is S W 1 A 1', 'form_may_continue'],
      ['my postcode is S W 1 A 1 A A', 'form_complete'],
      ['my postcode is M 1 1 A', 'dictation'],
      ['my postal code is K 1 A 0 B 1', 'form_complete'],
      ['my postal code is K 1 A 0 B', 'form_may_continue'],
      ['my zip code is 9 0 2 1', 'dictation'],
      ['my zip code is 9 0 2 1 0', 'form_complete'],
      ['my zip code is on the letter', null],
    ]);
  });

  it('of a reference may end from six characters on', () => {
    expectEach([
      ['my order number is 4 4 1 2 3', 'dictation'],
      ['my order number is 4 4 1 2 3 4', 'form_may_continue'],
      ['my order number is A B 4 4 1', 'dictation'],
      ['my order number is A B 4 4 1 2', 'form_may_continue'],
    ]);
  });

  it('of a phone number has eleven digits if it begins with 0 or 1, and ten otherwise', () => {
    expectEach([
      ['my phone number is 07946 0958', 'dictation'],
      ['my phone number is 07946 09581', 'form_may_continue'],
      ['my phone number is 07946 095812', 'form_complete'],
      ['my phone number is 555 201 447', 'dictation'],
      ['my phone number is 555 201 4478', 'form_complete'],
      ['my phone number is uh 555 201', 'dictation'],
    ]);
  });

  it('is not announced by a whole sentence without a digit', () => {
    expectEach([
      ['Please call me back on Monday.', null],
      ['please call me back on monday', 'dictation'],
      ['Please call me back on 0.', 'dictation'],
      ['My number is, wait.', 'dictation'],
      ['My phone is dead.', null],
      ['My email is hacked.', null],
      ['My email is john.', 'dictation'],
    ]);
  });

  it('is no range in a whole sentence', () => {
    expectEach([
      ['Sometime between 2 and 3.', 'number_in_sentence'],
      ['It is 2 3.', 'dictation'],
      ['2 and 3.', 'dictation'],
    ]);
    expectEach([['Irgendwann zwischen zwei und drei.', 'number_in_sentence']], '', 'de');
  });

  it('of an e-mail address goes on until its domain, unless the words make a sentence', () => {
    expectEach([
      ['my email is', 'dictation'],
      ['my email is john', 'dictation'],
      ['my email is john at gmail', 'dictation'],
      ['my email is gmail dot com', 'dictation'],
      ['my email is john at gmail dot com', null],
      ['my email is the one that I gave you', null],
      ['my email is one two three four five six', 'dictation'],
      ['my email is j o h n dot s m i t h', 'dictation'],
      ['my email is blue green yellow orange purple black', 'dictation'],
      ['my email is blue green yellow orange purple black white', null],
    ]);
  });

  it('of a date of birth knows its year by its digits or by its place', () => {
    expectEach([
      ['my date of birth is 1.2.85', null],
      ['my date of birth is 1-2-1985', null],
      ['my date of birth is 19851', 'dictation'],
      ['my date of birth is 3 4 2', 'dictation'],
      ['my date of birth is 3 4 185', 'dictation'],
      ['my date of birth is 3 85', 'dictation'],
      ['my date of birth is march 85', 'dictation'],
      ['my date of birth is 85 march', 'dictation'],
      ['my date of birth is three march', 'dictation'],
      ['my date of birth is third march eighty', null],
      ['my date of birth is three four eighty', 'dictation'],
      ['my date of birth is five sixth eighty', null],
      ['my date of birth is summer', null],
    ]);
  });

  it('of a spelled word has letters, and few other words', () => {
    expectEach([
      ['my name is spelled blue m', 'dictation'],
      ['my name is spelled blue m green', null],
      ['my name is spelled blue green', null],
      ['my name is spelled blue green m a r', 'dictation'],
      ['spelled Meier Meier m e i e r', 'form_complete'],
    ]);
  });

  it('of an e-mail address has an @ before its domain', () => {
    expectEach([
      ['my email is @', 'dictation'],
      ['my email is @gmail dot com', null],
      ['my email is john @ gmail dot com', null],
      ['my email is john smith at gmail.com', null],
      ['my email is gmail.com', 'dictation'],
      ['my email is blue green she is', null],
      ['my email is she is', 'dictation'],
    ]);
  });

  it('of a postcode may have the letters of a country', () => {
    const dutch = 'Wat is uw postcode?';
    expectEach(
      [
        ['101', 'dictation'],
        ['1012', 'form_may_continue'],
        ['1012 a', 'form_may_continue'],
        ['1012 a b', 'form_complete'],
        ['1012ab', 'form_complete'],
        ['a 1 0 1 2', 'form_may_continue'],
        ['a 1 0 1 2 b', 'form_complete'],
        ['a b c 1 0 1 2', 'form_complete'],
      ],
      dutch,
      'nl',
    );
    expectEach(
      [
        ['101', 'dictation'],
        ['1011 a', 'form_may_continue'],
        ['m 1 1 a', 'dictation'],
        ['m 1 1 a a', 'form_complete'],
      ],
      'Wie ist Ihre Postleitzahl?',
      'de',
    );
  });

  it('answers the question for it with a part of it only', () => {
    const phone = 'What is your phone number?';
    expectEach(
      [
        ['yes yes yes', 'awaits_form'],
        ['blue', null],
        ['blue 5', 'dictation'],
        ['m', 'dictation'],
      ],
      phone,
    );
    expectEach([['first', null]], phone);
    expectEach(
      [
        ['first', 'dictation'],
        ['may', 'dictation'],
        ['m', null],
      ],
      'When is your birthday?',
    );
    expectEach(
      [
        ['yes yes yes', null],
        ['first', null],
        ['may', null],
      ],
      'What is the date?',
    );
    expectEach([['blue', 'dictation']], 'What is your email?');
  });

  it('is awaited after «yes», unless the question asks for an address or a day', () => {
    for (const what of ['email', 'phone number', 'date of birth', 'order number']) {
      expectEach([['yes', 'awaits_form']], `May I have your ${what}?`);
    }
    expectEach([['yes yes yes yes', null]], 'May I have your phone number?');
    expectEach([['yes', null]], 'May I have your address?');
    expectEach([['yes', null]], 'On which day?');
  });

  it('is not recognized in an amount, a room number or a time', () => {
    expectEach([
      ['i live in room 204', 'number_in_sentence'],
      ['room 204.', 'number_in_sentence'],
      ['it costs 204 dollars', null],
      ['204', 'dictation'],
      ['204.', 'dictation'],
      ['room 204! ', 'number_in_sentence'],
      ['in room 204', 'dictation'],
      ['i live in room 12345', 'number_in_sentence'],
      ['i live in room 123456', 'dictation'],
      ['i live in room 0123', 'dictation'],
      ['i live in room 204 or 205', 'dictation'],
      ['at half past seven', null],
    ]);
  });
});

describe('the digits of spoken numbers', () => {
  it.each([
    ['en', 'five', 1],
    ['en', 'twelve', 2],
    ['en', 'twenty', 2],
    ['en', 'twenty five', 2],
    ['en', 'twenty-five', 2],
    ['en', 'twenty twelve', 4],
    ['en', 'double five', 2],
    ['en', 'triple five', 3],
    ['en', '020 79', 5],
    ['en', 'one hello two', 2],
    ['fr', 'soixante douze', 2],
    ['fr', 'soixante deux', 2],
    ['fr', 'trente douze', 4],
    ['fr', 'quatre vingt', 2],
    ['fr', 'quatre vingt douze', 2],
    ['fr', 'quatre vingt deux', 2],
    ['fr', 'vingt douze', 4],
    ['fr', 'quatre douze', 3],
  ])('in %s are counted: «%s»', (tag, text, count) => {
    expect(spokenDigits(text.split(' '), languagePack(tag)).count).toBe(count);
  });

  it.each([
    ['en', '079', true],
    ['en', '1', true],
    ['en', 'zero five', true],
    ['en', 'oh five', true],
    ['en', 'my five', false],
    ['en', '5 0 1', false],
    ['en', '51', false],
    ['de', 'null fünf', true],
    ['en', '', false],
  ])('in %s begin with 0 or 1: «%s» %s', (tag, text, beginsLow) => {
    expect(spokenDigits(text.split(' '), languagePack(tag)).beginsLow).toBe(beginsLow);
  });
});

describe('a dictation', () => {
  const { dictationLeads } = languagePack('en').clauses;
  const lead = (text: string) => dictationLead(text.split(' '), dictationLeads);

  it('is announced by the name of a form and a verb, and has the words after them', () => {
    expect(lead('my phone number is 0 7')).toEqual({ kind: 'phone', rest: ['0', '7'] });
    expect(lead('my order number would be 4')).toMatchObject({ kind: 'reference' });
    expect(lead('my phone number 0 7')).toBeNull();
    expect(lead('i was born march the third')).toMatchObject({ kind: 'birth_date', rest: ['march', 'the', 'third'] });
  });

  it('has the kind of the longest name, and of the last one announced', () => {
    expect(lead('the order number is 4')).toEqual({ kind: 'reference', rest: ['4'] });
    expect(lead('my date of birth is 4')).toEqual({ kind: 'birth_date', rest: ['4'] });
    expect(lead('my phone number is 5 and my email is a')).toEqual({ kind: 'email', rest: ['a'] });
    expect(lead('my email is a and my phone number is 5')).toEqual({ kind: 'phone', rest: ['5'] });
  });

  it('is not announced by a statement about the form', () => {
    expect(lead('my phone number is wrong')).toBeNull();
    expect(lead('my phone number is the third')).toBeNull();
    expect(lead('my date of birth is the same')).toBeNull();
    expect(lead('my date of birth is the third')).toEqual({ kind: 'birth_date', rest: ['the', 'third'] });
    expect(lead('the date is the third')).toEqual({ kind: 'date', rest: ['the', 'third'] });
    expect(lead('hello there')).toBeNull();
  });

  it('is requested by a question for it, but not by one that asks for a confirmation', () => {
    const asked = (question: string) => [...askedKinds(question.split(' '), dictationLeads)];
    expect(asked('what is your phone number')).toEqual(['phone']);
    expect(asked('what is your order number')).toEqual(['reference']);
    expect(asked('is this your phone number')).toEqual([]);
    expect(asked('so the phone number is 5 0')).toEqual([]);
    expect(asked('how are you')).toEqual([]);
  });

  it('is expected for a variable with the name of a form, in English or in the language of the agent', () => {
    expect(namedKinds('customer_phone_number', languagePack('en'))).toEqual(['phone']);
    expect(namedKinds('Phone-Number', languagePack('de'))).toEqual(['phone']);
    expect(namedKinds('phone__number', languagePack('de'))).toEqual(['phone']);
    expect(namedKinds('plz', languagePack('de'))).toEqual(['postcode']);
    expect(namedKinds('plz', languagePack('en'))).toEqual([]);
  });

  it('is expected for a name in camel case', () => {
    const english = ['phoneNumber', 'birthDate', 'customerPostalCode', 'eMail', 'line2Address', 'userPINEntry'];
    expect(english.map((name) => namedKinds(name, languagePack('en')))).toEqual([
      ['phone'],
      ['birth_date'],
      ['postcode'],
      ['email'],
      ['address'],
      ['reference'],
    ]);
    expect(namedKinds('kundeTelefonnummer', languagePack('de'))).toEqual(['phone']);
    expect(namedKinds('TelefonNummer', languagePack('de'))).toEqual(['phone']);
    expect(namedKinds('updatedRecord', languagePack('en'))).toEqual([]);
  });
});
