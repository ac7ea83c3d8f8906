import { countWords } from '../call/answers.ts';
import type { HearingCase } from '../call/heard-case.ts';
import { line, pause, type SpokenLine, say } from '../call/spoken-line.ts';

const PAUSES_MS = [600, 900, 1_200];

/** Sentences with the place of their pause. */
const OPEN_SENTENCES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  de: [
    ['Guten Morgen, ich bräuchte bitte einen', 'Termin zur Zahnreinigung.'],
    ['Ich wollte mich erkundigen, ob die', 'Lieferung heute noch kommt.'],
    ['Wenn der Techniker morgen kommt,', 'bin ich leider nicht zu Hause.'],
  ],
  en: [
    ['Good morning, I am calling because my', 'washing machine has stopped working.'],
    ['Could you please check whether', 'my parcel has been sent?'],
    ['If the doctor is away on Monday,', 'I can come on Wednesday.'],
  ],
  es: [
    ['Buenos días, quería saber si', 'tienen mesa para esta noche.'],
    ['Necesito cambiar la fecha de mi', 'vuelo a Madrid.'],
    ['Cuando llegue el paquete,', 'llámeme por favor.'],
  ],
  fr: [
    ['Bonjour, je voudrais prendre un', 'rendez-vous avec le docteur.'],
    ['Est-ce que vous pouvez me dire si', 'le magasin est ouvert dimanche ?'],
    ['Si le train a du retard,', 'je prendrai un taxi.'],
  ],
  it: [
    ['Buongiorno, vorrei prenotare un', 'tavolo per quattro persone.'],
    ['Mi può dire se', 'il negozio è aperto domani?'],
    ['Quando arriva il tecnico,', 'mi chiami per favore.'],
  ],
  nl: [
    ['Goedemorgen, ik zou graag een', 'afspraak maken voor dinsdag.'],
    ['Kunt u mij vertellen of', 'mijn pakket al verzonden is?'],
    ['Als de monteur morgen komt,', 'ben ik helaas niet thuis.'],
  ],
  pt: [
    ['Bom dia, eu gostaria de marcar uma', 'consulta para amanhã.'],
    ['Você pode me dizer se', 'a loja abre no domingo?'],
    ['Quando o técnico chegar,', 'me ligue por favor.'],
  ],
};

/** A pause inside an open sentence, in each language. */
export function pauseCases(): readonly HearingCase[] {
  return Object.entries(OPEN_SENTENCES).flatMap(([language, sentences]) =>
    PAUSES_MS.map((pauseMs) => ({
      ...caseBase(`${language}, ${pauseMs} ms`, language),
      group: 'pauses',
      steps: sentences.map(([before, after]) => ({
        when: { type: 'agent_quiet' as const, ms: 700 },
        line: line(say(before, language), pause(pauseMs), say(after, language)),
      })),
    })),
  );
}

/** The same, with a transcriber that is late and has no interims, and over a network that loses packets. */
export function hardPauseCases(): readonly HearingCase[] {
  return pauseCases()
    .filter(({ name }) => /^(en|de|es)/.test(name))
    .flatMap((pauseCase) => [
      {
        ...pauseCase,
        name: `${pauseCase.name}, finals 800 ms, no interims`,
        providers: { ...pauseCase.providers, transcriber: { finalMs: 800, interimMs: null } },
        hangUpAfterMs: 3_500,
      },
      { ...pauseCase, name: `${pauseCase.name}, loss of 5 %`, lossShare: 0.05 },
    ]);
}

/** Digits, spelled names and addresses: one entry each. */
export function dictationCases(): readonly HearingCase[] {
  const dictations: readonly (readonly [string, string, string, SpokenLine])[] = [
    ['digits in one breath', 'en', 'What is your phone number?', spelled('0 1 7 2 4 4 9 3 5 8', 'en', 180)],
    ['digits in one breath', 'de', 'Wie lautet Ihre Telefonnummer?', spelled('0 1 7 2 4 4 9 3 5 8', 'de', 180)],
    ['digits 1 s apart', 'en', 'What is your phone number?', spelled('0 1 7 2 4 4 9 3 5 8', 'en', 1_000)],
    ['digits 1 s apart', 'de', 'Wie lautet Ihre Telefonnummer?', spelled('0 1 7 2 4 4 9 3 5 8', 'de', 1_000)],
    ['digits in groups', 'fr', 'Quel est votre numéro ?', groups(['06', '12', '34', '56', '78'], 'fr', 900)],
    [
      'digits, unasked',
      'en',
      'Hello, what can I do for you?',
      groups(['My number is 0 1 7', '2 4 4 9', '3 5 8 6'], 'en', 1_000),
    ],
    ['spelled name', 'en', 'How do you spell your last name?', spelled('M I L L E R', 'en', 700)],
    ['spelled name', 'de', 'Wie schreibt man Ihren Nachnamen?', spelled('S C H M I D T', 'de', 700)],
    [
      'spelled name, unasked',
      'en',
      'Hello, what can I do for you?',
      groups(['My name is Kowalski, K O W', 'A L S', 'K I'], 'en', 1_000),
    ],
    ['e-mail', 'en', 'What is your email address?', groups(['john dot smith', 'at gmail', 'dot com'], 'en', 1_000)],
    [
      'e-mail',
      'de',
      'Wie lautet Ihre E-Mail-Adresse?',
      groups(['max punkt mustermann', 'at web', 'punkt de'], 'de', 1_000),
    ],
    [
      'e-mail, unasked',
      'en',
      'Hello, what can I do for you?',
      groups(['My email is anna dot lee', 'at outlook', 'dot com'], 'en', 1_000),
    ],
  ];
  return dictations.map(([name, language, greeting, spoken]) => ({
    ...caseBase(`${name}, ${language}`, language),
    group: 'dictation',
    greeting,
    steps: [{ when: { type: 'agent_quiet', ms: 700 }, line: spoken }],
    hangUpAfterMs: 3_500,
  }));
}

function caseBase(name: string, language: string) {
  return {
    name,
    providers: { transcriber: { finalMs: 250, interimMs: 250 }, voice: 'tone', language, answer: countWords },
  } as const;
}

function spelled(text: string, language: string, pauseMs: number): SpokenLine {
  return groups(text.split(' '), language, pauseMs);
}

function groups(texts: readonly string[], language: string, pauseMs: number): SpokenLine {
  return line(...texts.flatMap((text, i) => [...(i === 0 ? [] : [pause(pauseMs)]), say(text, language)]));
}
