import { expect, it } from 'vitest';
import { refusesRecording } from '../../../engine/languages/recording-refusal.ts';
import { wordsOf } from '../../../engine/languages/words.ts';

/** By language: answers that refuse, requests that refuse at any time, and answers that do not refuse. */
const SAID = {
  en: [
    ['No.', 'No, thank you.', 'I do not agree.', "I'd rather not."],
    ["Please don't record this call.", 'I do not want to be recorded', 'Stop the recording, please.'],
    [
      'Yes.',
      'Okay, no problem.',
      "No, that's fine.",
      "I don't have my number here.",
      'I have a question about a record.',
    ],
  ],
  de: [
    ['Nein.', 'Nein danke.', 'Ich widerspreche.', 'Lieber nicht.'],
    ['Bitte nicht aufzeichnen.', 'Ich möchte nicht aufgenommen werden', 'Keine Aufnahme bitte.'],
    ['Ja, gerne.', 'Kein Problem.', 'Nein, das passt schon.', 'Ich habe eine Frage zur Rechnung.'],
  ],
  fr: [
    ['Non.', 'Non merci.', "Je ne suis pas d'accord.", 'Je refuse.'],
    ['Ne m’enregistrez pas, sans enregistrement.', 'Je ne veux pas être enregistré.'],
    ["Oui, d'accord.", 'Pas de problème.', "J'ai une question."],
  ],
  es: [
    ['No.', 'No, gracias.', 'No estoy de acuerdo.'],
    ['No me grabe, por favor.', 'No quiero que se grabe.'],
    ['Sí.', 'No hay problema.', 'Tengo una pregunta.'],
  ],
  it: [
    ['No.', 'No, grazie.', "Non sono d'accordo."],
    ['Non registrate, per favore.', 'Non voglio essere registrato.'],
    ['Sì.', 'Nessun problema.', 'Ho una domanda.'],
  ],
  pt: [
    ['Não.', 'Não, obrigado.', 'Não concordo.'],
    ['Não quero que gravem.', 'Por favor, sem gravação.'],
    ['Sim.', 'Não há problema.', 'Tenho uma pergunta.'],
  ],
  nl: [
    ['Nee.', 'Nee, bedankt.', 'Liever niet.'],
    ['Ik wil niet opgenomen worden.', 'Geen opname alstublieft.'],
    ['Ja.', 'Geen probleem.', 'Ik heb een vraag.'],
  ],
} as const;

it.each(Object.entries(SAID))(
  'a refusal of the recording is understood in %s',
  (language, [answers, requests, others]) => {
    const refusing = (texts: readonly string[], isAnswer: boolean) =>
      texts.filter((text) => refusesRecording(wordsOf(text), language, isAnswer));
    expect(refusing(answers, true)).toEqual(answers);
    expect(refusing(answers, false)).toEqual([]);
    expect(refusing(requests, false)).toEqual(requests);
    expect(refusing(others, true)).toEqual([]);
  },
);

it('no words refuse nothing', () => {
  expect(refusesRecording([], 'en', true)).toBe(false);
});
