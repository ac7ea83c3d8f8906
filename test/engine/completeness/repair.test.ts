import { describe, expect, it } from 'vitest';
import { endsInRepair, hesitationEnd, isLoneTime } from '../../../engine/completeness/repair.ts';
import { languagePack } from '../../../engine/languages/language-packs.ts';

const { clauses } = languagePack('en');
const isRepair = (text: string) => endsInRepair(text.split(' '), clauses);
const isTime = (text: string) => isLoneTime(text.split(' '), clauses);

describe('a repair at the end', () => {
  it.each([
    'no wait',
    'wait no',
    'on friday no wait',
    'no maybe wait',
    'actually no wait a minute',
    'no sorry hang on a second',
  ])('takes words back and asks for a moment: %s', (text) => {
    expect(isRepair(text)).toBe(true);
  });

  it.each([
    ['asks for a moment only', 'wait'],
    ['asks for a moment twice', 'wait wait'],
    ['only takes back', 'no no'],
    ['is one word', 'no'],
    ['has another word between its parts', 'no hello wait'],
    ['has other words after it', 'no wait on friday'],
    ['is too far from the end', 'no wait a b c d e'],
  ])('is none if it %s: %s', (_, text) => {
    expect(isRepair(text)).toBe(false);
  });

  it('begins at most six words before the end', () => {
    expect(isRepair('hold on maybe still just actually')).toBe(true);
    expect(isRepair('hold on maybe maybe still just actually')).toBe(false);
  });
});

describe('a hesitation and a past time', () => {
  it.each([
    'well yesterday',
    'well last week',
    'you know last friday',
    'i mean well yesterday',
    'let me think yesterday',
    'well yesterday last friday',
  ])('lack their sentence: %s', (text) => {
    expect(isTime(text)).toBe(true);
  });

  it.each([
    ['without the hesitation', 'yesterday'],
    ['without the time', 'well'],
    ['with a time to come', 'well next week'],
    ['with more words', 'well yesterday i went'],
    ['with a past word elsewhere', 'well the last man'],
    ['with a word between them', 'well she yesterday'],
  ])('are no such beginning %s: %s', (_, text) => {
    expect(isTime(text)).toBe(false);
  });

  it('have hesitations of up to four words, one after another', () => {
    const end = (text: string, from = 0) => hesitationEnd(text.split(' '), from, clauses);
    expect(end('i mean')).toBe(2);
    expect(end('let me think')).toBe(3);
    expect(end('well you know i mean yesterday')).toBe(5);
    expect(end('let me')).toBe(0);
    expect(end('yesterday i mean')).toBe(0);
    expect(end('yesterday i mean', 1)).toBe(3);
    expect(end('yesterday', 1)).toBe(1);
  });
});
