import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../engine/agent/json-value.ts';
import type { JournalEntry } from '../../../../engine/ports/journal.ts';
import { REDACTION_ENTITIES } from '../../../../engine/redaction/redaction-entity.ts';
import { CallRedactor } from '../../../../src/calls/redaction/call-redactor.ts';

const CARD = '4111111111111111';
/** Digits that may be shown: as many as name the issuer of a card. */
const SHOWN_MAX = 5;

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
