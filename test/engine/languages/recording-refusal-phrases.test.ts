import { expect, it } from 'vitest';
import { isMereNo, refusesRecording } from '../../../engine/languages/recording-refusal-phrases.ts';
import { wordsOf } from '../../../engine/languages/words.ts';

interface Said {
  /** Refuse as the answer to the announcement only, without naming the recording. */
  readonly answers: readonly string[];
  /** Refuse as the answer to the announcement only. */
  readonly requests: readonly string[];
  /** Refuse at any time. */
  readonly withdrawals: readonly string[];
  /** Refuse at no time. */
  readonly others: readonly string[];
  /** Refuse nothing once the announcement was answered. */
  readonly later: readonly string[];
}

const SAID: Readonly<Record<string, Said>> = {
  en: {
    answers: ['No.', 'No, thank you.', 'I do not agree.', "I'd rather not."],
    requests: ['No recording, please.', 'Without recording.', 'I do not consent to the recording.'],
    withdrawals: [
      "Please don't record this call.",
      "Don't record me.",
      'I do not want to be recorded',
      "I don't want this call to be recorded.",
      'Stop the recording, please.',
      'Can you stop recording?',
      'Please turn off the recording.',
      'Delete this recording.',
    ],
    others: [
      'Yes.',
      'Okay, no problem.',
      "No, that's fine.",
      "I don't have my number here.",
      'I have a question about a record.',
      "I don't object to the recording.",
      "Please don't stop the recording.",
    ],
    later: [
      'Your system did not record my payment.',
      'There was no recording.',
      "I don't want my middle name to be recorded.",
      'Do not delete the recording.',
    ],
  },
  de: {
    answers: ['Nein.', 'Nein danke.', 'Ich widerspreche.', 'Lieber nicht.'],
    requests: ['Keine Aufnahme bitte.', 'Ohne Aufzeichnung.'],
    withdrawals: [
      'Bitte nicht aufzeichnen.',
      'Ich möchte nicht aufgenommen werden',
      'Können Sie die Aufnahme stoppen?',
      'Die Aufzeichnung bitte löschen.',
      'Ich widerspreche der Aufzeichnung.',
      'Zeichnen Sie das nicht auf.',
    ],
    others: ['Ja, gerne.', 'Kein Problem.', 'Nein, das passt schon.', 'Ich habe eine Frage zur Rechnung.'],
    later: [
      'Meine Bestellung wurde nicht aufgenommen.',
      'Es gab keine Aufnahme.',
      'Bitte die Aufnahme nicht löschen.',
      'Ich konnte die Aufzeichnung nicht beenden.',
    ],
  },
  fr: {
    answers: ['Non.', 'Non merci.', "Je ne suis pas d'accord.", 'Je refuse.'],
    requests: ['Sans enregistrement.', "Pas d'enregistrement, s'il vous plaît."],
    withdrawals: [
      'Ne m’enregistrez pas.',
      'Je ne veux pas être enregistré.',
      "Arrêtez l'enregistrement.",
      "Vous pouvez arrêter l'enregistrement ?",
      "Je refuse l'enregistrement.",
    ],
    others: ["Oui, d'accord.", 'Pas de problème.', "J'ai une question."],
    later: [
      "Vous n'avez pas enregistré mon adresse.",
      "Votre site refuse l'enregistrement de mon adresse.",
      "N'arrêtez pas l'enregistrement.",
      'Je ne veux pas être enregistré dans votre fichier.',
    ],
  },
  es: {
    answers: ['No.', 'No, gracias.', 'No estoy de acuerdo.'],
    requests: ['No quiero que se grabe.', 'Sin grabación.'],
    withdrawals: ['No me grabe, por favor.', 'No, deje de grabar.', 'Pare la grabación.', 'No quiero que me graben.'],
    others: ['Sí.', 'No hay problema.', 'Tengo una pregunta.'],
    later: ['El formulario no se ha grabado, no lo graba.', 'No había grabación.'],
  },
  it: {
    answers: ['No.', 'No, grazie.', "Non sono d'accordo."],
    requests: ['Non registrate, per favore.', 'Senza registrazione.'],
    withdrawals: [
      'Non voglio essere registrato.',
      'Smetta di registrare.',
      'Interrompa la registrazione.',
      'Mi oppongo alla registrazione.',
    ],
    others: ['Sì.', 'Nessun problema.', 'Ho una domanda.'],
    later: [
      'Non sono registrata sul sito.',
      'Cancelli la registrazione al sito.',
      'Non voglio essere registrato sul sito.',
    ],
  },
  pt: {
    answers: ['Não.', 'Não, obrigado.', 'Não concordo.'],
    requests: ['Não quero que gravem.', 'Por favor, sem gravação.'],
    withdrawals: ['Não, pare de gravar.', 'Desligue a gravação.', 'Não quero ser gravada.', 'Não me grave.'],
    others: ['Sim.', 'Não há problema.', 'Tenho uma pergunta.'],
    later: ['Não consegui gravar o formulário.', 'O site para de gravar os dados.'],
  },
  nl: {
    answers: ['Nee.', 'Nee, bedankt.', 'Liever niet.'],
    requests: ['Geen opname alstublieft.', 'Zonder opname.'],
    withdrawals: [
      'Ik wil niet opgenomen worden.',
      'Stop met opnemen.',
      'Stop de opname.',
      'Neem mij niet op.',
      'Ik wil niet dat dit gesprek wordt opgenomen.',
    ],
    others: ['Ja.', 'Geen probleem.', 'Ik heb een vraag.'],
    later: [
      'U heeft nog niet contact met mij opgenomen.',
      'Er is geen opname.',
      'Stop de opname niet.',
      'U kunt contact met mij opnemen.',
    ],
  },
};

it.each(Object.entries(SAID))('a refusal of the recording is understood in %s', (language, said) => {
  const refusing = (texts: readonly string[], isAnswer: boolean) =>
    texts.filter((text) => refusesRecording(wordsOf(text), language, isAnswer));
  const mereNos = (texts: readonly string[]) => texts.filter((text) => isMereNo(wordsOf(text), language));
  const { answers, requests, withdrawals, others, later } = said;
  expect(refusing([...answers, ...requests, ...withdrawals], true)).toEqual([...answers, ...requests, ...withdrawals]);
  expect(refusing(withdrawals, false)).toEqual(withdrawals);
  expect(refusing([...answers, ...requests, ...others, ...later], false)).toEqual([]);
  expect(refusing(others, true)).toEqual([]);
  expect(mereNos(answers)).toEqual(answers);
  expect(mereNos([...requests, ...withdrawals, ...others, ...later])).toEqual([]);
});

it('no words refuse nothing', () => {
  expect(refusesRecording([], 'en', true)).toBe(false);
  expect(isMereNo([], 'en')).toBe(false);
});
