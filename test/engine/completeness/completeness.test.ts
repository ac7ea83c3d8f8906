import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Completeness, completeness } from '../../../engine/completeness/completeness.ts';
import { PAUSE_BOUNDS_MS, pauseMsOf } from '../../../engine/completeness/end-of-turn-pause.ts';
import { NO_EXPECTATION, type TurnExpectation } from '../../../engine/completeness/expectation.ts';
import { LANGUAGE_TAGS, languagePack } from '../../../engine/languages/language-packs.ts';
import { propertyRuns } from '../properties/property-runs.ts';

/** Fixed pauses before completeness existed: after a full stop, and without one. */
const MARKED_MS = 200;
const UNMARKED_MS = 500;
/** After an open word or ending, after one with a full stop, and after a doubtful one with a full stop. */
const OPEN_MS = 1_500;
const MARKED_OPEN_MS = 1_300;
const MARKED_DOUBTFUL_MS = 700;
/** Without the mark that the transcriber would have set. */
const MISSING_MARK_MS = 900;
/** Users pause this long within an open sentence. */
const OPEN_SENTENCE_PAUSE_MS = 1_200;

function judge(tag: string, text: string, expectation: Partial<TurnExpectation> = {}): Completeness {
  return completeness(text, languagePack(tag), { ...NO_EXPECTATION, ...expectation });
}

function pauseMs(tag: string, text: string, expectation: Partial<TurnExpectation> = {}): number {
  return pauseMsOf(judge(tag, text, expectation));
}

describe('an open sentence outlasts a pause of 1.2 s', () => {
  it.each([
    ['en', ['can you', 'I would like to', 'what time is', 'it is for my', 'I need', 'can I have', 'I was wondering']],
    ['de', ['ich möchte', 'können Sie mir', 'ich rufe an wegen', 'es geht um', 'ich brauche', 'für meinen']],
    ['es', ['quisiera', 'me gustaría', 'me puede decir', 'es para mi', 'necesito', 'quería saber']],
    ['fr', ['je voudrais', 'est-ce que vous', "j'ai besoin de", 'pouvez-vous me', "c'est pour", 'il faudrait']],
    ['it', ['vorrei', 'mi può dire', 'ho bisogno di', 'è per la', 'volevo sapere', 'chiamo per']],
    ['nl', ['ik wil graag', 'kunt u mij', 'ik bel over', 'het is voor mijn', 'zou ik', 'ik zoek']],
    ['pt', ['eu queria', 'eu gostaria', 'pode me dizer', 'é para o meu', 'preciso de', 'queria saber']],
  ])('in %s after %j', (tag, texts) => {
    for (const text of texts) expect({ text, ms: pauseMs(tag, text) }).toMatchObject({ ms: expect.toSatisfy(isOpen) });
  });

  it.each([
    ['en', 'if I come on Monday'],
    ['de', 'Wenn ich am Montag komme'],
    ['es', 'si vengo el lunes'],
    ['fr', 'quand ma fille rentre de l’école'],
    ['it', 'se vengo lunedì'],
    ['nl', 'als ik maandag kom'],
    ['pt', 'se eu for na segunda'],
  ])('in %s without the main clause: «%s»', (tag, text) => {
    expect(judge(tag, text).reasons).toEqual(['open_clause']);
  });

  it.each([
    ['en', 'if I come on Monday can I park there'],
    ['en', 'when can I come'],
    ['en', 'If possible.'],
    ['en', 'If it rains, we stay at home.'],
    ['de', 'wenn ich am Montag komme kann ich dann parken'],
    ['es', 'si vengo el lunes me puede avisar'],
    ['fr', 'quand ma fille rentre je vous rappelle'],
    ['it', 'quando posso venire'],
    ['nl', 'als ik maandag kom kan ik dan parkeren'],
    ['pt', 'quando posso ir'],
  ])('but not in %s with its main clause, or as a question: «%s»', (tag, text) => {
    expect(judge(tag, text).reasons).not.toContain('open_clause');
  });
});

function isOpen(ms: number): boolean {
  return ms > OPEN_SENTENCE_PAUSE_MS;
}

describe('a complete answer is answered as fast as with fixed pauses', () => {
  it.each([
    [
      'en',
      ['Yes.', 'No, thank you.', 'What is it for?', 'I think so.', "Let's do that.", 'Come in.', 'How much is it?'],
    ],
    ['de', ['Ja.', 'Das weiß ich.', 'Ich rufe später an.', 'Was kostet das?', 'Ja, gerne.', 'Machen Sie das.']],
    ['es', ['Sí.', 'No lo sé.', '¿Cuánto cuesta?', 'Así es.', 'Claro que sí.']],
    ['fr', ['Oui.', 'Je ne sais pas.', "C'est combien ?", 'Moi aussi.', "C'est ça."]],
    ['it', ['Sì.', 'Non lo so.', 'Quanto costa?', 'Va bene così.', 'Sono io.']],
    ['nl', ['Ja.', 'Dat weet ik niet.', 'Wat kost het?', 'Ik bel later op.', 'Ja, graag.']],
    ['pt', ['Sim.', 'Não sei.', 'Quanto custa?', 'Sou eu.', 'Claro.']],
  ])('in %s with a mark: %j', (tag, texts) => {
    for (const text of texts) expect({ text, ms: pauseMs(tag, text) }).toEqual({ text, ms: MARKED_MS });
  });

  it.each([
    ['en', ['yes', 'four', 'thursday', 'no I am not', 'my heating is broken', 'yes I can']],
    ['de', ['ja', 'vier', 'donnerstag', 'das kann ich', 'meine heizung ist kaputt']],
    ['es', ['sí', 'cuatro', 'el jueves', 'no puedo', 'soy yo']],
    ['fr', ['oui', 'quatre', 'jeudi', 'je ne sais pas', "c'est moi"]],
    ['it', ['sì', 'quattro', 'giovedì', 'non lo so', 'sono io']],
    ['nl', ['ja', 'vier', 'donderdag', 'dat weet ik niet', 'mijn verwarming is kapot']],
    ['pt', ['sim', 'quatro', 'quinta-feira', 'não sei', 'sou eu']],
  ])('in %s without a mark: %j', (tag, texts) => {
    for (const text of texts) expect({ text, ms: pauseMs(tag, text) }).toEqual({ text, ms: UNMARKED_MS });
  });
});

describe('marks', () => {
  it.each(['On Monday,', 'It is...', 'It is…', 'first -'])('of a pause delay the end of the turn: «%s»', (text) => {
    expect(judge('en', text).reasons).toContain('pause_mark');
  });

  it.each<[string, string]>([
    ['Why?', 'sentence_mark'],
    ['Why? ', 'sentence_mark'],
    ['“Why?”', 'sentence_mark'],
    ['I am here!', 'sentence_mark'],
    ['He said "I am here."', 'sentence_mark'],
    ['I have five.', 'sentence_mark'],
    ['five.', 'no_mark'],
    ['why? yes', 'no_mark'],
    ['I am here! yes', 'no_mark'],
    ['So it is... yes', 'no_mark'],
    ['So… yes', 'no_mark'],
    ['yes - ', 'pause_mark'],
    ['on Monday, ', 'pause_mark'],
    ['on Monday; at ten', 'no_mark'],
  ])('count at the end of the text: «%s»', (text, reason) => {
    expect(judge('en', text).reasons).toEqual([reason]);
  });

  it('do not close a sentence that ends in an article or a preposition, and only weaken doubtful words', () => {
    expect(pauseMs('en', 'I would like the.')).toBe(OPEN_MS);
    expect(pauseMs('en', 'We are looking for.')).toBe(MARKED_OPEN_MS);
    expect(pauseMs('en', 'They were trying.')).toBe(MARKED_DOUBTFUL_MS);
    expect(pauseMs('en', 'Can you?')).toBe(MARKED_OPEN_MS);
    expect(pauseMs('en', 'You can do it, can you?')).toBe(MARKED_MS);
  });

  it('a missing mark counts from five words on, if the transcriber punctuates', () => {
    const text = 'I would like a table';
    expect(pauseMs('en', text)).toBe(UNMARKED_MS);
    expect(pauseMs('en', text, { punctuates: true })).toBe(MISSING_MARK_MS);
    expect(pauseMs('en', 'We like a table', { punctuates: true })).toBe(UNMARKED_MS);
    // The text itself shows that it does.
    expect(pauseMs('en', `Hello. ${text}`)).toBe(MISSING_MARK_MS);
  });

  it('are not needed after a word that closes a request', () => {
    expect(judge('en', 'put me through please').reasons).toEqual(['closing']);
    expect(judge('en', 'yes please').reasons).toEqual(['no_mark']);
  });
});

describe('a dictation', () => {
  it.each([
    ['en', 'my email is j o h n dot smith'],
    ['en', 'you can reach me at 0 7 9 0 0'],
    ['en', 'my phone number is'],
    ['de', 'meine Nummer ist 0 1 7 2'],
    ['de', 'die E-Mail-Adresse ist max punkt muster'],
    ['es', 'mi correo es juan'],
    ['fr', 'mon numéro de téléphone c’est le 06 12'],
    ['it', 'il mio numero di telefono è 3 4 7'],
    ['nl', 'mijn e-mailadres is jan'],
    ['pt', 'o meu número é 9 1 2'],
  ])('in %s goes on until its form is complete: «%s»', (tag, text) => {
    expect(pauseMs(tag, text)).toBe(PAUSE_BOUNDS_MS.most);
  });

  it.each([
    ['en', 'my email is john at gmail dot com'],
    ['en', 'my phone number is 555 201 4478'],
    ['de', 'meine Nummer ist 0172 34567890'],
    ['es', 'mi número es 612 345 678'],
    ['fr', 'mon numéro c’est le zéro six douze trente-quatre cinquante-six soixante-dix-huit'],
    ['fr', 'mon numéro c’est le zéro six douze trente quatre quatre vingt dix sept soixante dix huit'],
    ['en', 'my name is Meier m e i e r'],
  ])('in %s with its form complete is answered after the usual pause: «%s»', (tag, text) => {
    expect(pauseMs(tag, text)).toBe(UNMARKED_MS);
  });

  it.each(['my number is on the letter', 'my email is full and I cannot send', 'the number is wrong'])(
    'is not recognised if the words make a statement: «%s»',
    (text) => {
      expect(judge('en', text).reasons).not.toContain('dictation');
    },
  );

  it('answers the agent’s question', () => {
    const birthDate = { question: 'What is your date of birth?' };
    expect(judge('en', 'the third of march', birthDate).reasons).toEqual(['dictation']);
    expect(pauseMs('en', 'the third of march 1985', birthDate)).toBe(UNMARKED_MS);
    expect(judge('en', 'sure', { question: 'Could you give me your phone number?' }).reasons).toEqual(['awaits_form']);
    expect(judge('en', 'yes', { question: 'Is this your phone number?' }).reasons).toEqual(['no_mark']);
    expect(judge('en', 'four four one', { question: 'What is your order number?' }).reasons).toEqual(['dictation']);
  });

  it.each([
    ['en', 'When were you born?', ['On the third.', 'The third of May.'], 'The third of May 1982.'],
    ['de', 'Wann sind Sie geboren?', ['Am vierten.', 'Am vierten. Siebten.'], 'Am vierten. Siebten. 1982.'],
    ['nl', 'Wanneer bent u geboren?', ['Op de vierde.', 'De vierde mei.'], 'De vierde mei 1982.'],
    ['es', '¿Cuándo nació?', ['El primero.', 'El primero de mayo.'], 'El primero de mayo de 1982.'],
    ['fr', 'Quand êtes-vous né ?', ['Le premier.', 'Le premier mai.'], 'Le premier mai 1982.'],
    ['it', 'Qual è la sua data di nascita?', ['Il primo.', 'Il primo maggio.'], 'Il primo maggio 1982.'],
    ['pt', 'Qual é a sua data de nascimento?', ['Primeiro.', 'Primeiro de maio.'], 'Primeiro de maio de 1982.'],
  ])('of a birthday in parts is whole with its year (%s)', (tag, question, parts, whole) => {
    for (const text of parts)
      expect({ text, reasons: judge(tag, text, { question }).reasons }).toEqual({ text, reasons: ['dictation'] });
    expect(judge(tag, whole, { question }).reasons).not.toContain('dictation');
  });

  it('of a postcode may end at the four digits of Austria, and ends with its last letter', () => {
    const german = { ...NO_EXPECTATION, question: 'Wie ist Ihre Postleitzahl?' };
    expect(completeness('1010', languagePack('de'), german).reasons).toEqual(['form_may_continue']);
    expect(completeness('10115', languagePack('de'), german).reasons).toEqual(['form_complete']);
    const english = { ...NO_EXPECTATION, question: 'What is your postcode?' };
    expect(completeness('S W 1 A 1 A A', languagePack('en'), english).reasons).toEqual(['form_complete']);
  });

  it('of a Dutch postcode goes on until its letters', () => {
    const question = 'Wat is uw postcode en huisnummer?';
    expect(judge('nl', '1 0 1 2.', { question }).reasons).toEqual(['form_may_continue']);
    expect(judge('nl', '1 0 1 2 A B', { question }).reasons).toEqual(['form_complete']);
    expect(judge('nl', '1 0 1', { question }).reasons).toEqual(['dictation']);
  });

  it('of a number for a variable is complete at the length of a phone number', () => {
    const text = '555 201 4478';
    expect(judge('en', text).reasons).toEqual(['form_may_continue']);
    expect(judge('en', text, { wanted: new Set(['phone']) }).reasons).toEqual(['form_complete']);
  });

  it('is expected of fragments where entity detection is on, and of no whole answer', () => {
    const expectation = { entityDetection: true };
    expect(pauseMs('en', 'Smith', expectation)).toBe(PAUSE_BOUNDS_MS.most);
    expect(pauseMs('en', 'Yes.', expectation)).toBe(MARKED_MS);
    expect(pauseMs('en', 'I do not have that here.', expectation)).toBe(MARKED_MS);
    expect(pauseMs('en', 'it is forty two on the left.', expectation)).toBe(PAUSE_BOUNDS_MS.most);
    expect(pauseMs('en', 'it begins with B on the left.', expectation)).toBe(PAUSE_BOUNDS_MS.most);
    expect(pauseMs('en', 'I have put it there.', expectation)).toBe(MARKED_MS);
  });
});

describe('the pauses of this user', () => {
  const text = 'i would like a table';
  it('lengthen the next ones from the second long one on', () => {
    expect(pauseMs('en', text, { pausesMs: [900] })).toBe(UNMARKED_MS);
    expect(pauseMs('en', text, { pausesMs: [900, 1_000] })).toBe(1_080);
    expect(judge('en', text, { pausesMs: [900, 1_000] }).reasons).toEqual(['own_pauses', 'no_mark']);
  });

  it('are bounded, and change neither short answers nor marked sentences', () => {
    expect(pauseMs('en', text, { pausesMs: [3_000, 3_000] })).toBe(1_500);
    expect(pauseMs('en', 'at seven', { pausesMs: [900, 900] })).toBe(UNMARKED_MS);
    expect(pauseMs('en', 'I would like a table.', { pausesMs: [900, 900] })).toBe(MARKED_MS);
    expect(pauseMs('en', text, { pausesMs: [100, 400, 490] })).toBe(UNMARKED_MS);
  });
});

describe('the acoustic model', () => {
  const text = 'i would like a table';

  it('changes the pause, and is named as the first reason then', () => {
    expect(judge('en', text, { acousticProbability: 1 }).reasons).toEqual(['acoustic_end', 'no_mark']);
    expect(pauseMs('en', text, { acousticProbability: 1 })).toBeLessThan(UNMARKED_MS);
    expect(pauseMs('en', text, { acousticProbability: 0 })).toBe(OPEN_MS);
  });

  it('is not named if it changes nothing, or has not answered', () => {
    expect(judge('en', text, { acousticProbability: 0.5 }).reasons).toEqual(['no_mark']);
    expect(judge('en', text, { acousticProbability: null }).reasons).toEqual(['no_mark']);
    expect(judge('en', `${text}.`, { acousticProbability: 1 }).reasons).toEqual(['sentence_mark']);
  });
});

const anyText = fc.constantFrom(...LANGUAGE_TAGS).chain((tag) => {
  const { clauses, dictation, backchannels } = languagePack(tag);
  const word = fc.oneof(
    fc.constantFrom(...clauses.open, ...clauses.mostlyOpen, ...clauses.openEndings, ...clauses.clauseOpeners),
    fc.constantFrom(...dictation.digits, ...dictation.marks, ...dictation.alphabet, ...dictation.streets),
    fc.constantFrom(...backchannels),
    fc.constantFrom('table', 'Ada', 'B', '7', '42', '0151', 'x@y', 'gmail', 'com', 'yes.', 'no?', 'fine,'),
    fc.string(),
  );
  return fc.record({
    tag: fc.constant(tag),
    text: fc.array(word, { maxLength: 10 }).map((words) => words.join(' ')),
    open: fc.constantFrom(...clauses.open),
    expectation: fc.record({
      question: fc.constantFrom('', 'What is your phone number?', 'Wie ist Ihre E-Mail-Adresse?', '?'),
      wanted: fc.constantFrom(new Set<'phone'>(), new Set(['phone'] as const)),
      entityDetection: fc.boolean(),
      punctuates: fc.boolean(),
      pausesMs: fc.array(fc.nat(5_000), { maxLength: 8 }),
      acousticProbability: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    }),
  });
});

describe('the completeness of any text', () => {
  it('lies between 0 and 1, has a reason, and its pause is bounded', () => {
    fc.assert(
      fc.property(anyText, ({ tag, text, expectation }) => {
        const { score, reasons } = completeness(text, languagePack(tag), expectation);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(reasons.length).toBeGreaterThan(0);
        expect(pauseMsOf({ score })).toBeGreaterThanOrEqual(PAUSE_BOUNDS_MS.least);
        expect(pauseMsOf({ score })).toBeLessThanOrEqual(PAUSE_BOUNDS_MS.most);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
