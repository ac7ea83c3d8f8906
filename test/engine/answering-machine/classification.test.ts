import { describe, expect, it } from 'vitest';
import {
  type AnswerEvidence,
  asksToWait,
  CLASSIFICATION_MS_MAX,
  classifyAnswer,
  classifyWords,
  SHORT_GREETING_MS_MAX,
} from '../../../engine/answering-machine/classification.ts';
import { answeringMachinePhrases } from '../../../engine/languages/language-packs.ts';

const typeByWords = (language: string, text: string) =>
  classifyWords(text, answeringMachinePhrases(language))?.type ?? null;

describe('phrases of answering machines', () => {
  it.each([
    ['en', 'voicemail', 'Please record your message at the tone.'],
    ['en', 'voicemail', "I can't come to the phone, press one to page me, or leave a message after the beep."],
    ['en', 'ivr', 'Thank you for calling Acme. To leave a message, press 4.'],
    ['en', 'ivr', 'Please listen closely, as our menu options have changed.'],
    [
      'en',
      'call_screening',
      'Hi, if you record your name and reason for calling, I will see if this person is available.',
    ],
    ['en', 'unknown', 'Your call cannot be completed as dialed.'],
    ['de', 'voicemail', 'Hallo, hier ist die Mailbox von Petra.'],
    ['de', 'voicemail', 'Guten Tag, leider bin ich im Moment nicht erreichbar.'],
    ['de', 'ivr', 'Für Fragen zur Rechnung wählen Sie die 2.'],
    ['de', 'unknown', 'Kein Anschluss unter dieser Nummer.'],
    ['de', 'voicemail', 'Please leave a message after the tone.'],
    ['fr', 'voicemail', 'Merci de laisser votre message après le signal sonore.'],
    ['fr', 'ivr', 'Pour le service client, tapez 1.'],
    ['fr', 'unknown', "Le numéro que vous avez composé n'est pas attribué."],
    ['es', 'voicemail', 'Ha llamado al buzón de voz de Juan.'],
    ['es', 'ivr', 'Para ventas, marque el dos.'],
    ['it', 'voicemail', 'Risponde la segreteria telefonica di Anna.'],
    ['it', 'ivr', 'Per informazioni prema uno.'],
    ['pt', 'voicemail', 'Grave o seu recado após o sinal.'],
    ['pt-BR', 'ivr', 'Para falar com um atendente, digite 9.'],
    ['nl', 'voicemail', 'Dit is de voicemail van Kees.'],
    ['nl', 'ivr', 'Voor vragen over uw rekening, toets 3.'],
  ])('classify, in the language %s, as %s: «%s»', (language, type, text) => {
    expect(typeByWords(language, text)).toBe(type);
  });

  it.each([
    ['en', 'Hello, Bob speaking, how can I help you?'],
    ['en', "You've reached Acme, this is Jane."],
    ['en', 'Who is calling, please?'],
    ['en', 'Sorry, what was your name again?'],
    ['en', 'Can you call me back tomorrow, I am driving.'],
    ['de', 'Ja bitte, wer ist denn da?'],
    ['de', 'Ich bin gerade unterwegs, ich rufe Sie zurück.'],
    ['fr', 'Oui allô, qui est à l’appareil ?'],
    ['es', 'Ahora no puedo hablar, llámeme después.'],
    ['it', 'Sì, chi è?'],
    ['pt', 'Alô, quem fala?'],
    ['nl', 'Hallo, met wie spreek ik?'],
    ['en', ''],
  ])('do not match, in the language %s, «%s»', (language, text) => {
    expect(typeByWords(language, text)).toBeNull();
  });

  it('recognise a request to wait', () => {
    expect(asksToWait('Thanks, please hold while I connect you.', answeringMachinePhrases('en'))).toBe(true);
    expect(asksToWait('Hello?', answeringMachinePhrases('en'))).toBe(false);
  });
});

describe('classification of the answer', () => {
  const evidenceOf = (overrides: Partial<AnswerEvidence>): AnswerEvidence => ({
    phrases: answeringMachinePhrases('en'),
    text: '',
    beep: false,
    sitHeard: false,
    sinceAnswerMs: 1_000,
    turnMs: null,
    turnEnded: false,
    answersAgent: false,
    ...overrides,
  });

  it.each([
    [{ text: 'Hello?', turnMs: 500 }, null],
    [{ text: 'Hello?', turnMs: 500, turnEnded: true }, 'human'],
    [{ text: 'The Miller residence, good evening', turnMs: SHORT_GREETING_MS_MAX + 100, turnEnded: true }, 'unknown'],
    [{ text: 'Ah good that you call', turnMs: 3_000, turnEnded: true, answersAgent: true }, 'human'],
    [{ text: 'We are out and about', turnMs: 7_100 }, 'voicemail'],
    [{ text: 'So listen to this', turnMs: 7_100, answersAgent: true }, null],
    [{ beep: true }, 'voicemail'],
    [{ sitHeard: true }, 'unknown'],
    [{ sitHeard: true, text: 'It cannot be completed', beep: true }, 'voicemail'],
    [{ sinceAnswerMs: CLASSIFICATION_MS_MAX - 1 }, null],
    [{ sinceAnswerMs: CLASSIFICATION_MS_MAX }, 'unknown'],
    [{ sinceAnswerMs: CLASSIFICATION_MS_MAX, text: 'And so we', turnMs: 3_000 }, 'unknown'],
  ] as const)('takes the evidence %j for %s', (overrides, type) => {
    expect(classifyAnswer(evidenceOf(overrides))?.type ?? null).toBe(type);
  });
});
