import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../engine/agent/json-value.ts';
import type { JournalEntry } from '../../../../engine/ports/journal.ts';
import { REDACTION_ENTITIES } from '../../../../engine/redaction/redaction-entity.ts';
import { CallRedactor } from '../../../../src/calls/redaction/call-redactor.ts';

const CARD = '4111111111111111';
/** Digits that may be shown: as many as name the issuer of a card. */
const SHOWN_MAX = 5;
/** Digits that may be shown if other words stand between them. */
const SHOWN_BEFORE_WORDS_MAX = 8;
/** More than the entries over which a number may be spread. */
const ENTRIES = 12;

type Written = Exclude<JournalEntry, { readonly type: 'ended' }>;

function redactor(language = 'en'): CallRedactor {
  return new CallRedactor({ entities: REDACTION_ENTITIES, language });
}

function user(sequence: number, content: string, parts?: readonly string[]): Written {
  const startUs = sequence * 1_000_000;
  const written = parts?.map((part) => ({ startUs, endUs: startUs, content: part }));
  return {
    type: 'transcript',
    entry: { role: 'user', sequence, startUs, endUs: null, content, ...(written !== undefined && { parts: written }) },
  };
}

function dtmf(sequence: number, content: string): Written {
  const startUs = sequence * 1_000_000;
  return { type: 'transcript', entry: { role: 'dtmf', sequence, startUs, endUs: startUs, content } };
}

function agent(sequence: number, content: string, generatedContent?: string): Written {
  const entry = { role: 'agent' as const, sequence, startUs: sequence * 1_000_000, endUs: null, content };
  const generated = generatedContent === undefined ? {} : { generatedContent };
  return { type: 'transcript', entry: { ...entry, interrupted: false, ...generated } };
}

function variable(name: string, value: JsonValue): Written {
  return { type: 'variable', name, variableType: 'string', value, atUs: 0 };
}

/** The texts of entries, by their sequence or name. */
function texts(entries: readonly Written[]): readonly string[] {
  return entries.map((entry) => {
    if (entry.type === 'transcript') return `${entry.entry.sequence}: ${entry.entry.content}`;
    return entry.type === 'variable' ? `${entry.name}: ${JSON.stringify(entry.value)}` : entry.type;
  });
}

describe('CallRedactor', () => {
  it('redacts an entry of the user before it is written', () => {
    expect(texts(redactor().write(user(1, 'My card is 4111 1111 1111 1111.')))).toEqual(['1: My card is [card].']);
  });

  it('finds a number that is dictated in two breaths, and hides its begin until then', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'It is 4111 1111')))).toEqual(['1: It is [number]']);
    expect(texts(call.write(agent(2, 'Go on.')))).toEqual(['2: Go on.']);
    expect(texts(call.write(user(3, '1111 1111 thanks')))).toEqual(['1: It is [card]', '3: [card] thanks']);
  });

  it('finds a number of which a part is spoken and the rest is typed', () => {
    const call = redactor();
    call.write(user(1, 'four one one one'));
    expect(texts(call.write(dtmf(2, '111111111111')))).toEqual(['1: [card]', '2: [card]']);
  });

  it('hides no more than the begin of an interrupted number that is never continued, after a crash', () => {
    const call = redactor();
    call.write(user(1, 'It is 4111 1111 1111'));
    for (let sequence = 2; sequence < 30; sequence++) call.write(user(sequence, 'and then something else'));
    expect(call.spoken.judgedMs).toBeGreaterThan(1_000);
    expect(call.spoken.all).toHaveLength(1);
  });

  it('finds a number that other words interrupt, and hides its begin until then', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'It is 4111 1111 1111')))).toEqual(['1: It is [number]']);
    expect(texts(call.write(user(2, 'hold on')))).toEqual(['2: hold on']);
    expect(texts(call.write(agent(3, 'Take your time.')))).toEqual(['3: Take your time.']);
    expect(texts(call.write(user(4, '1111 thanks')))).toEqual(['1: It is [card]', '4: [card] thanks']);
    expect(texts(call.write(variable('card', CARD)))).toEqual(['card: "[card]"']);
    expect(call.end()).toEqual([]);
  });

  it('finds a number that other words interrupt within an entry, and between two typed entries', () => {
    expect(texts(redactor().write(user(1, '4111 1111 1111, let me turn it round, 1111')))).toEqual([
      '1: [card], let me turn it round, [card]',
    ]);
    const call = redactor();
    call.write(dtmf(1, '41111111'));
    call.write(user(2, 'one second please'));
    expect(texts(call.write(dtmf(3, '11111111')))).toEqual(['1: [card]', '3: [card]']);
  });

  it('finds an IBAN and an Italian fiscal code that other words interrupt', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'DE89 3704 0044')))).toEqual(['1: [number]']);
    call.write(user(2, 'now I have to scroll'));
    expect(texts(call.write(user(3, '0532 0130 00')))).toEqual(['1: [iban]', '3: [iban]']);
    const italian = redactor('it');
    expect(texts(italian.write(user(1, 'RSSMRA85T10')))).toEqual(['1: [number]']);
    expect(texts(italian.write(user(2, 'un attimo')))).toEqual(['2: un attimo']);
    expect(texts(italian.write(user(3, 'A562S')))).toEqual(['1: [national_id]', '3: [national_id]']);
  });

  it('keeps the begin of a card hidden until the call ends, also if its entry is long past', () => {
    const call = redactor();
    call.write(user(1, 'It is 4111 1111 1111'));
    for (let sequence = 2; sequence <= ENTRIES; sequence++)
      expect(texts(call.write(user(sequence, 'well then')))).toEqual([`${sequence}: well then`]);
    expect(texts(call.end())).toEqual(['1: It is 4111 1111 1111']);
  });

  it('shows an order number of that length as soon as more words follow', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'My order number is 4111 1111 1111')))).toEqual(['1: My order number is [number]']);
    expect(texts(call.write(user(2, 'thanks')))).toEqual(['1: My order number is 4111 1111 1111', '2: thanks']);
    call.write(agent(3, 'What is the order number?'));
    expect(texts(call.write(user(4, '5105 1051 0510')))).toEqual(['4: [number]']);
    call.write(agent(5, 'And your name?'));
    expect(texts(call.write(user(6, 'Anna')))).toEqual(['4: 5105 1051 0510', '6: Anna']);
  });

  it('shows a date as soon as more words follow', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'on 23.11.2026')))).toEqual(['1: on [number]']);
    expect(texts(call.write(user(2, 'please')))).toEqual(['1: on 23.11.2026', '2: please']);
  });

  it('hides all parts of a number of which the first entries are long past', () => {
    const call = redactor();
    for (const [nth, part] of ['4111', '1111', '1111', '1111'].entries()) call.write(user(nth + 1, `${part} yes`));
    const later = Array.from({ length: ENTRIES }, (_, nth) => call.write(user(nth + 5, 'well then'))).flat();
    expect(texts([...later, ...call.end()]).join()).not.toContain('1111');
  });

  it('learns a number that a tool call has whole, and hides what the user said of it', () => {
    const call = redactor();
    call.write(user(1, '5105 1051 0511 no wait'));
    expect(texts(call.write(user(2, 'I mean 0510 5100 at the end')))).toEqual(['2: I mean 0510 5100 at the end']);
    const base = { sequence: 3, startUs: 0, endUs: 0, toolCallId: 'c', name: 'pay', content: '' };
    const args = { card: '5105105105105100' };
    const called = { ...base, role: 'tool_call' as const, toolType: 'custom_function', arguments: args };
    const [written, ...again] = call.write({ type: 'transcript', entry: called });
    expect(written).toMatchObject({ entry: { arguments: { card: '[card]' } } });
    expect(texts(again)).toEqual(['1: [card] no wait', '2: I mean [card] at the end']);
  });

  it('hides the begin of an address at the end of the words', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'My address is maria dot planted.')))).toEqual(['1: My address is [number].']);
    expect(texts(call.write(user(2, 'At example dot com.')))).toEqual(['1: My address is [email]', '2: [email].']);
    const spelling = redactor();
    expect(texts(spelling.write(user(1, 'it is j o h n at example')))).toEqual(['1: it is [number]']);
    expect(texts(spelling.write(user(2, 'dot com thanks')))).toEqual(['1: it is [email]', '2: [email] thanks']);
    const harmless = redactor();
    harmless.write(user(1, 'my name is j o h n'));
    expect(texts(harmless.write(user(2, 'and I need help')))).toEqual(['1: my name is j o h n', '2: and I need help']);
  });

  it('hides the expiry date and the security code of a card that was given, where words announce them', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'It expires twelve twenty seven.')))).toEqual([
      '1: It expires twelve twenty seven.',
    ]);
    expect(texts(call.write(user(2, '4111 1111 1111 1111 thanks')))).toEqual([
      '1: It expires [card].',
      '2: [card] thanks',
    ]);
    call.write(agent(3, 'And the security code?'));
    expect(texts(call.write(user(4, 'one two three')))).toEqual(['4: [card]']);
    call.write(agent(5, 'How many people?'));
    expect(texts(call.write(user(6, 'three hundred')))).toEqual(['6: three hundred']);
    expect(texts(call.write(variable('cvv', '123')))).toEqual(['cvv: "[card]"']);
    expect(texts(call.write(variable('guests', 123)))).toEqual(['guests: 123']);
    expect(texts(call.write(agent(7, 'Valid until 12/27, is that right?')))).toEqual([
      '7: Valid until [card], is that right?',
    ]);
    expect(call.end()).toEqual([]);
  });

  it('shows hidden digits once they are known to be no number', () => {
    const call = redactor();
    expect(texts(call.write(user(1, 'The code is 1234567')))).toEqual(['1: The code is [number]']);
    expect(texts(call.write(variable('code', '1234567')))).toEqual(['code: "[number]"']);
    expect(texts(call.write(user(2, 'That is all.')))).toEqual([
      '1: The code is 1234567',
      '2: That is all.',
      'code: "1234567"',
    ]);
  });

  it('shows hidden digits at the end of the call', () => {
    const call = redactor();
    call.write(user(1, 'The code is 1234567'));
    expect(texts(call.end())).toEqual(['1: The code is 1234567']);
    expect(call.end()).toEqual([]);
  });

  it('redacts what the agent, tools and variables repeat of a number, in whole or in part', () => {
    const call = redactor();
    call.write(user(1, 'My card is 4111 1111 1111 1111, really.'));
    const [said] = call.write(agent(2, 'So 4111 1111 …', 'So 4111 1111 and then 1111 1111?'));
    expect(said).toMatchObject({ entry: { content: 'So [card] …', generatedContent: 'So [card] and then [card]?' } });
    expect(texts(call.write(variable('card', Number(CARD))))).toEqual(['card: "[card]"']);
    const base = { sequence: 3, startUs: 0, endUs: 0, toolCallId: 'c', name: 'pay' };
    const args = { card: CARD, nested: [{ digits: '41111111' }], cents: 1299, ends_in: '1111' };
    const called = { ...base, role: 'tool_call' as const, content: '', toolType: 'custom_function', arguments: args };
    expect(call.write({ type: 'transcript', entry: called })).toMatchObject([
      { entry: { arguments: { card: '[card]', nested: [{ digits: '[card]' }], cents: 1299, ends_in: '1111' } } },
    ]);
    const answered = { ...base, role: 'tool_response' as const, successful: true, content: `{"paid":"${CARD}"}` };
    expect(call.write({ type: 'transcript', entry: answered })).toMatchObject([
      { entry: { content: '{"paid":"[card]"}' } },
    ]);
    expect(call.text(`refused: ${CARD}`)).toBe('refused: [card]');
  });

  it('redacts what is repeated of a number that the user gave in another language than that of the agent', () => {
    const call = redactor('en');
    const said = 'ich möchte Ihnen sagen, meine Karte ist die vier eins eins eins, eins eins eins eins';
    expect(texts(call.write(user(1, said)))).toEqual(['1: ich möchte Ihnen sagen, meine Karte ist die [number]']);
    expect(texts(call.write(agent(2, 'I have 4111 11.')))).toEqual(['2: I have [number].']);
    const rest = texts(call.write(user(3, 'eins eins eins eins, eins eins eins eins')));
    expect(rest).toEqual(['1: ich möchte Ihnen sagen, meine Karte ist die [card]', '3: [card]', '2: I have [card].']);
    expect(texts(call.write(agent(4, 'So four one one one one one? And 1111 1111?')))).toEqual([
      '4: So [card]? And [card]?',
    ]);
    expect(texts(call.write(agent(5, 'Also vier eins eins eins eins eins?')))).toEqual(['5: Also [card]?']);
    expect(texts(call.write(variable('begin', 411111)))).toEqual(['begin: "[card]"']);
    expect(texts(call.write(variable('end', 'eins eins eins eins eins eins')))).toEqual(['end: "[card]"']);
  });

  it('finds a card whose digits are said in another language than that of the agent, without any other word', () => {
    const call = redactor('en');
    expect(texts(call.write(user(1, 'vier eins eins eins eins eins eins eins')))).toEqual(['1: [number]']);
    expect(texts(call.write(user(2, 'eins eins eins eins eins eins eins eins')))).toEqual(['1: [card]', '2: [card]']);
    expect(texts(call.write(agent(3, 'Also vier eins eins eins eins eins?')))).toEqual(['3: Also [card]?']);
    const iban =
      'D E acht neun drei sieben null vier null null vier vier null fünf drei zwei null eins drei null null null';
    expect(texts(call.write(user(4, iban)))).toEqual(['4: [iban]']);
  });

  it('finds numbers in a language that the user spoke long before', () => {
    const call = redactor('en');
    call.write(user(1, 'Guten Tag, ich möchte gern meine Rechnung bezahlen, ist das bei Ihnen möglich?'));
    const answers = ['ja', 'genau', 'richtig', 'nein', 'ja bitte', 'gut', 'danke', 'alles klar', 'ja'];
    for (const [nth, answer] of answers.entries()) call.write(user(2 + nth, answer));
    call.write(agent(20, 'Telefonnummer?'));
    expect(texts(call.write(user(21, 'null eins sieben eins, zwei drei vier fünf sechs sieben acht')))).toEqual([
      '21: [phone]',
    ]);
  });

  it('redacts the parts of an entry like its content', () => {
    const [written] = redactor().write(
      user(1, 'It is 4111 1111 1111 1111, yes', ['It is 4111 1111', '1111 1111, yes']),
    );
    expect(written).toMatchObject({
      entry: { content: 'It is [card], yes', parts: [{ content: 'It is [card]' }, { content: '[card], yes' }] },
    });
  });

  it('takes a question of the agent as the name of the number that follows', () => {
    const call = redactor('nl');
    call.write(agent(1, 'Wat is uw burgerservicenummer?'));
    expect(texts(call.write(user(2, 'dat is 111222333 hoor')))).toEqual(['2: dat is [national_id] hoor']);
  });

  it('writes other entries unchanged', () => {
    const state = { type: 'state', from: null, to: 'start', atUs: 1 } as const;
    expect(redactor().write(state)).toEqual([state]);
  });

  it('shows at most the first digits of a card at any time, however it is cut into entries that grow', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: CARD.length - 1 }), { maxLength: 6 });
    const grown = fc.array(fc.boolean(), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(cuts, grown, (unsorted, grows) => {
        const call = redactor();
        const bounds = [0, ...unsorted.toSorted((a, b) => a - b), CARD.length];
        const pieces = bounds.slice(1).map((to, index) => CARD.slice(bounds[index], to));
        const stored = new Map<number, string>();
        const keep = (entries: readonly Written[]) => {
          for (const entry of entries)
            if (entry.type === 'transcript') stored.set(entry.entry.sequence, entry.entry.content);
          const digits = [...stored.values()].join('').replace(/\D/g, '');
          expect(digits.length).toBeLessThan(SHOWN_MAX + 1);
        };
        for (const [index, piece] of pieces.entries()) {
          if (grows[index] === true) keep(call.write(user(index, piece.slice(0, Math.ceil(piece.length / 2)))));
          keep(call.write(user(index, piece)));
        }
        keep(call.end());
        expect([...stored.values()].every((text) => text === '[card]')).toBe(true);
      }),
    );
  });

  it('shows at most eight digits of a card at any time, whatever words stand between its groups', () => {
    const cuts = fc.subarray([4, 8, 12], { minLength: 1 });
    const words = fc.array(fc.constantFrom('hold on', 'one second', 'I turn it round', 'yes'), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(cuts, words, fc.boolean(), (ends, between, isOneEntry) => {
        const call = redactor();
        const bounds = [0, ...ends, CARD.length];
        const said = bounds.slice(1).flatMap((to, nth) => [CARD.slice(bounds[nth], to), between[nth] ?? '']);
        const stored = new Map<number, string>();
        const keep = (entries: readonly Written[]) => {
          for (const { entry } of entries.filter((one) => one.type === 'transcript'))
            stored.set(entry.sequence, entry.content);
          expect([...stored.values()].join('').replace(/\D/g, '').length).toBeLessThanOrEqual(SHOWN_BEFORE_WORDS_MAX);
        };
        for (const nth of said.keys())
          keep(call.write(isOneEntry ? user(0, said.slice(0, nth + 1).join(', ')) : user(nth, said[nth] ?? '')));
        keep(call.end());
        expect([...stored.values()].join('')).not.toMatch(/\d/);
      }),
    );
  });
});

describe('the times of redacted words', () => {
  const LINE = 'my card is 4111 1111 1111 1111 thanks';
  const times = (content: string) =>
    content.split(' ').map((word, nth) => ({ content: word, startMs: nth * 10, endMs: nth * 10 + 9 }));

  function spoken(sequence: number, content: string, pieces = times(content)): Written {
    const entry = { role: 'user' as const, sequence, startUs: 5_000, endUs: 90_000, content, spoken: pieces };
    return { type: 'transcript', entry };
  }

  it('are those of the words of a number, and are not written', () => {
    const call = redactor();
    expect(JSON.stringify(call.write(spoken(1, LINE)))).not.toContain('spoken');
    expect(call.spoken.all).toEqual([{ clock: 'audio', fromMs: 30, toMs: 69 }]);
  });

  it('are all of the entry without times of its words, and of typed digits', () => {
    const call = redactor();
    call.write(spoken(1, LINE, []));
    call.write(spoken(2, LINE, times('my card is 4111')));
    call.write(dtmf(3, CARD));
    expect(call.spoken.all).toEqual([
      { clock: 'engine', fromMs: 5, toMs: 90 },
      { clock: 'audio', fromMs: 0, toMs: 39 },
      { clock: 'engine', fromMs: 3_000, toMs: 3_000 },
    ]);
  });

  it('are forgotten if digits become no number', () => {
    const call = redactor();
    call.write(spoken(1, 'it is 55512'));
    expect(call.spoken.all).toEqual([{ clock: 'audio', fromMs: 20, toMs: 29 }]);
    expect(call.spoken.judgedMs).toBe(5);
    call.write(spoken(1, 'it is 55512 apples'));
    expect(call.spoken.all).toEqual([]);
  });

  it('are those of a segment of the agent that repeats a number of another language', () => {
    const call = redactor();
    const digits = ['vier', ...Array.from({ length: 15 }, () => 'eins')].join(' ');
    call.write(spoken(1, `ich möchte Ihnen sagen, meine Karte ist die ${digits}`, []));
    const segments = [{ content: 'I have 4111 11.', startMs: 200, endMs: 500 }];
    const entry = { role: 'agent' as const, sequence: 2, startUs: 200_000, endUs: 500_000, interrupted: false };
    call.write({ type: 'transcript', entry: { ...entry, content: 'I have 4111 11.', spoken: segments } });
    expect(call.spoken.all).toContainEqual({ clock: 'engine', fromMs: 200, toMs: 500 });
  });

  it('are those of a segment of the agent that repeats a number, to where it was interrupted', () => {
    const call = redactor();
    call.write(spoken(1, LINE));
    const segments = [
      { content: 'Well.', startMs: 100, endMs: 200 },
      { content: 'I have 4111 1111 1111 1111.', startMs: 200, endMs: 500 },
    ];
    const content = segments.map((segment) => segment.content).join(' ');
    const entry = { role: 'agent' as const, sequence: 2, startUs: 100_000, endUs: 400_000, content, interrupted: true };
    const written = call.write({ type: 'transcript', entry: { ...entry, spoken: segments } });
    expect(JSON.stringify(written)).not.toContain('spoken');
    expect(call.spoken.all).toContainEqual({ clock: 'engine', fromMs: 200, toMs: 400 });
  });
});
