import { consistsOfPhrases } from './phrase-matching.ts';
import { matchesAnyPhrase } from './phrase-pattern.ts';
import { primaryLanguage } from './primary-language.ts';
import { phraseSet } from './word-lists.ts';

/** How a user refuses the recording of the call. */
interface RefusalWords {
  /** The whole answer to the announcement consists of these phrases. */
  readonly answers: ReadonlySet<string>;
  /** Phrase patterns (`phrase-pattern.ts`) that name the recording: they refuse it at any time. */
  readonly requests: readonly string[];
}

const ENGLISH: RefusalWords = {
  answers: phraseSet(`
    no, nope, no thanks, no thank you, please no, no please, please don't, i don't, i do not, i'd rather not,
    i would rather not, rather not, i don't want that, i do not want that, i don't agree, i do not agree, i disagree,
    i don't consent, i do not consent, i refuse, i decline, i object, not okay`),
  requests: [
    "don't|not|never record",
    "don't|not want … recorded|recording",
    'not … be recorded',
    'no recording',
    'without recording',
    'stop recording',
    'stop the recording',
    'turn off the recording',
    'turn the recording off',
    'delete the recording',
    'object to … recording|recorded',
    "don't|not consent|agree to|with … recording|recorded",
  ],
};

const REFUSALS: ReadonlyMap<string, RefusalWords> = new Map([
  ['en', ENGLISH],
  [
    'de',
    {
      answers: phraseSet(`
        nein, nee, nö, nein danke, bitte nicht, nein bitte nicht, lieber nicht, das möchte ich nicht, ich möchte das nicht,
        das will ich nicht, ich will das nicht, auf keinen fall, nicht einverstanden, ich bin nicht einverstanden,
        ich stimme nicht zu, ich stimme dem nicht zu, ich widerspreche, ich widerspreche dem, ich lehne ab, ich lehne das ab`),
      requests: [
        'nicht … aufgezeichnet|aufgenommen|mitgeschnitten',
        'nicht aufzeichnen|aufnehmen|mitschneiden',
        'keine aufzeichnung|aufnahme',
        'ohne aufzeichnung|aufnahme',
        'aufzeichnung|aufnahme … stoppen|beenden|ausschalten|abschalten|löschen|aus',
        'widerspreche der aufzeichnung|aufnahme',
        'aufzeichnung|aufnahme nicht',
      ],
    },
  ],
  [
    'fr',
    {
      answers: phraseSet(`
        non, non merci, surtout pas, pas d'accord, je ne suis pas d'accord, je suis pas d'accord, je ne veux pas, je veux pas,
        je préfère pas, je ne préfère pas, je préfère que non, je refuse, je m'y oppose, je m'oppose`),
      requests: [
        'pas … enregistrer|enregistrez|enregistré|enregistrée|enregistrés',
        "pas … l'enregistrement|d'enregistrement",
        "n'enregistrez pas",
        'sans enregistrement|enregistrer',
        "arrêtez|arrêter|coupez|stoppez l'enregistrement",
        "refuse l'enregistrement|d'être … enregistré|enregistrée",
        "m'oppose à l'enregistrement",
      ],
    },
  ],
  [
    'es',
    {
      answers: phraseSet(`
        no, no gracias, no por favor, no quiero, no lo quiero, no acepto, no lo acepto, no estoy de acuerdo, prefiero que no,
        mejor no, me niego, me opongo, de ninguna manera`),
      requests: [
        'no … grabe|graben|grabes|grabar|graba|grabada|grabado|grabación',
        'sin grabar|grabación',
        'deje|dejen|deja de grabar',
        'pare|paren|detenga|detengan la grabación',
      ],
    },
  ],
  [
    'it',
    {
      answers: phraseSet(`
        no, no grazie, no per favore, non voglio, non lo voglio, non accetto, non sono d'accordo, preferisco di no, meglio di no,
        mi rifiuto, mi oppongo, assolutamente no`),
      requests: [
        'non … registrare|registri|registrate|registrato|registrata|registrazione',
        'senza registrare|registrazione',
        'smetta|smettete|smetti di registrare',
        'interrompa|interrompete|fermi|fermate la registrazione',
      ],
    },
  ],
  [
    'pt',
    {
      answers: phraseSet(`
        não, não obrigado, não obrigada, não por favor, não quero, não aceito, não concordo, não estou de acordo, prefiro que não,
        prefiro não, melhor não, recuso, eu recuso, me recuso, recuso-me, de jeito nenhum`),
      requests: [
        'não … gravar|grave|gravem|grava|gravado|gravada|gravação',
        'sem gravar|gravação',
        'pare|parem|para de gravar',
        'pare|parem|interrompa|desligue a gravação',
      ],
    },
  ],
  [
    'nl',
    {
      answers: phraseSet(`
        nee, nee bedankt, nee dank u, nee dank je, liever niet, nee liever niet, dat wil ik niet, ik wil dat niet, niet akkoord,
        ik ga niet akkoord, ik ga daar niet mee akkoord, ik weiger, ik maak bezwaar`),
      requests: [
        'niet … opnemen|opgenomen|opneemt|opname',
        'geen opname|opnames',
        'zonder opname|opnemen',
        'stop de|het opname|opnemen',
        'stop met opnemen',
        'bezwaar tegen … opname|opnemen',
      ],
    },
  ],
]);

/**
 * Whether the words, as `wordsOf` returns them, refuse the recording.
 *
 * @param isAnswer they are the first words after the announcement: a mere «no» refuses
 * @param tag BCP 47, of the words. An unknown language gets the English words
 */
export function refusesRecording(words: readonly string[], tag: string, isAnswer: boolean): boolean {
  const { answers, requests } = REFUSALS.get(primaryLanguage(tag)) ?? ENGLISH;
  if (words.length === 0) return false;
  return matchesAnyPhrase(words, requests) || (isAnswer && consistsOfPhrases(words, answers));
}
